import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { CapsSchema, TermsSchema } from '@supplier/proto/common/v1/principal';
import { Environment, ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { Agent } from 'undici';
import { sampleEnquiry } from '../../../deploy/local/demonstration/sample-enquiry.ts';
import { parseJson } from '../../../deploy/local/demonstration/status-view.ts';
import {
  type Answer,
  type SupplierClient,
  supplierClient,
} from '../../../deploy/local/demonstration/supplier-client.ts';
import type { Choices } from '../../../deploy/local/sample-data/random.ts';
import { createAccount, issueCredential } from '../../../deploy/local/seed/seed-suppliers.ts';
import { hasCode, type StaffClients } from '../../../deploy/local/seed/staff-clients.ts';
import { supplierTable } from '../../../deploy/local/seed/supplier-table.ts';
import { APPLICANTS_NAME, answerOf } from '../load.ts';
import type { Infrastructure } from '../upgrade/infrastructure.ts';
import type { Account, ClientRequest, Erasure, SecretPeriod } from './evidence.ts';
import type { Receivers } from './receivers.ts';
import { OUTAGES } from './rules.ts';
import { seenIn } from './seen-status.ts';

const PRODUCTION = Environment.PRODUCTION;
const RETRY_MS = 300;
/** The pause of a sender between two submissions. */
const PACE_MS = 150;
const STAFF_PACE_MS = 700;
const MAX_REQUESTS = 200_000;
/** How long a request is repeated after the run has ended. */
const GIVE_UP_MS = 240_000;

/** A supplier of the run, with its client. */
export interface Supplier extends Account {
  readonly client: SupplierClient;
}

/** Everything that suppliers and staff asked for. */
export interface Asked {
  /** The number of customers so far. */
  customers: number;
  readonly requests: ClientRequest[];
  readonly secrets: SecretPeriod[];
  readonly erasures: Erasure[];
}

/** Opens two suppliers without a cap and one with `dailyCap`, each with an endpoint in production. */
export async function openSuppliers(
  { staff, productionUrl }: Infrastructure,
  receivers: Receivers,
  asked: Asked,
  dailyCap: number,
): Promise<Supplier[]> {
  const wanted = supplierTable.find(({ limits }) => limits !== undefined);
  if (!wanted) throw new Error('every supplier uses the default limits');
  const suppliers: Supplier[] = [];
  for (const cap of [null, null, dailyCap]) {
    const caps = create(CapsSchema, cap === null ? {} : { acceptedPerDay: cap });
    const terms = create(TermsSchema, { ...wanted.terms, caps });
    const { accountId } = await createAccount({ ...wanted, name: 'faults', terms }, staff);
    const credential = await issueCredential(wanted, accountId, PRODUCTION, staff);
    const from = Date.now();
    const url = receivers.urlOf(accountId);
    const { signingSecret } = await staff.webhook.createEndpoint({ accountId, environment: PRODUCTION, url });
    receivers.addSecret(accountId, signingSecret);
    asked.secrets.push({ accountId, secret: signingSecret, from, until: null });
    const client = supplierClient(productionUrl, credential, new Agent({ pipelining: 0 }));
    suppliers.push({ id: accountId, dailyCap: cap, hasEndpoint: true, client });
  }
  return suppliers;
}

/**
 * Sends submissions until `until` is aborted, each until it is answered: new customers, repeats, changed and invalid
 * bodies, customers of other suppliers, and reads.
 */
export async function sendSubmissions(
  suppliers: readonly Supplier[],
  asked: Asked,
  choose: Choices,
  until: AbortSignal,
): Promise<void> {
  const { requests } = asked;
  const isTooLate = deadline(until);
  while (!until.aborted && requests.length < MAX_REQUESTS) {
    const supplier = choose.of(suppliers);
    const customer =
      asked.customers > 0 && choose.in(0.15)
        ? asked.customers - choose.whole(0, Math.min(asked.customers, 20) - 1)
        : ++asked.customers;
    const reference = `faults-${randomUUID()}`;
    const body = enquiryOf(reference, customer);
    const subject = { supplier, reference, customer };
    const ask = (what: Subject, call: (client: SupplierClient) => Promise<Answer>) =>
      untilAnswered(requests, what, isTooLate, call);
    const { seen } = await ask({ ...subject, kind: 'create' }, (client) => client.create(body));
    if (!seen) continue;
    const dice = choose.whole(1, 100);
    if (dice <= 10) await ask({ ...subject, kind: 'create' }, (client) => client.create(body));
    else if (dice <= 15) {
      const changed = { ...body, funding_amount: 46_000 };
      await ask({ ...subject, kind: 'changed' }, (client) => client.create(changed));
    } else if (dice <= 20) {
      const invalid = { ...subject, reference: `invalid-${randomUUID()}`, kind: 'invalid' as const };
      const wrong = { ...body, external_reference: invalid.reference, funding_amount: -1 };
      await ask(invalid, (client) => client.create(wrong));
    } else if (dice <= 50)
      await ask({ ...subject, kind: 'read' }, (client) => client.read(seen.submissionId));
    await pause(PACE_MS);
  }
}

/** Returns a body; bodies of one customer match each other and no other customer's. */
function enquiryOf(reference: string, customer: number): Record<string, unknown> {
  const number = String(10_000_000 + customer);
  return {
    ...sampleEnquiry(),
    ...{ external_reference: reference, company_number: number, telephone: `+447${number.padStart(9, '4')}` },
    email: `${APPLICANTS_NAME}.${number}@example.com`,
    ...{ first_name: 'Ada', last_name: APPLICANTS_NAME, business_name: `${APPLICANTS_NAME} Ltd` },
  };
}

interface Subject {
  readonly supplier: Supplier;
  readonly kind: ClientRequest['kind'];
  readonly reference: string;
  readonly customer: number;
}

/** Returns whether the run ended so long ago that requests are given up. */
function deadline(until: AbortSignal): () => boolean {
  let ended = Number.POSITIVE_INFINITY;
  until.addEventListener('abort', () => {
    ended = Date.now();
  });
  return () => Date.now() - ended >= GIVE_UP_MS;
}

/** Sends the same request until it is answered other than by an outage. Records every attempt; resolves to the last one. */
async function untilAnswered(
  requests: ClientRequest[],
  { supplier, ...subject }: Subject,
  isTooLate: () => boolean,
  call: (client: SupplierClient) => Promise<Answer>,
): Promise<ClientRequest> {
  for (;;) {
    const sentAt = Date.now();
    const { status, text } = await answerOf(() => call(supplier.client));
    const seen = status === 200 || status === 202 ? seenIn(parseJson(text)) : null;
    const request = {
      accountId: supplier.id,
      ...subject,
      sentAt,
      answeredAt: Date.now(),
      answer: status,
      seen,
    };
    requests.push(request);
    if (!OUTAGES.includes(status) || isTooLate()) return request;
    await pause(RETRY_MS);
  }
}

/** Acts as staff until `until` is aborted: returns submissions and rotates signing secrets. */
export async function actAsStaff(
  { staff }: Infrastructure,
  suppliers: readonly Supplier[],
  { requests, secrets }: Asked,
  receivers: Receivers,
  choose: Choices,
  until: AbortSignal,
): Promise<void> {
  const isTooLate = deadline(until);
  while (!until.aborted) {
    await pause(STAFF_PACE_MS, undefined, { signal: until }).catch(() => undefined);
    if (choose.in(0.1)) await rotate(staff, choose.of(suppliers).id, secrets, receivers, isTooLate);
    const { seen } = requests[choose.whole(0, requests.length)] ?? {};
    if (!seen) continue;
    const reasonCategory = ReturnReasonCategory.OUTSTANDING_CCJS;
    // Refused for a submission that isn't accepted. After any other failure nobody knows whether it is returned.
    await staff.submission
      .returnSubmission({ submissionId: seen.submissionId, reasonCategory })
      .catch(() => undefined);
  }
}

/** The codes of calls whose outcome is unknown. */
const LOST = [Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Internal, Code.Aborted];

/** Rotates a secret. While the outcome is unknown, any signature may be in force. */
async function rotate(
  { webhook }: StaffClients,
  accountId: string,
  secrets: SecretPeriod[],
  receivers: Receivers,
  isTooLate: () => boolean,
): Promise<void> {
  const from = Date.now();
  for (let failures = 0; ; failures++)
    try {
      const { signingSecret } = await webhook.rotateSecret({ accountId, environment: PRODUCTION });
      const confirmed = Date.now();
      receivers.addSecret(accountId, signingSecret);
      const last = secrets.findIndex((one) => one.accountId === accountId && one.until === null);
      const replaced = secrets[last];
      if (replaced) secrets[last] = { ...replaced, until: confirmed };
      if (failures > 0) secrets.push({ accountId, secret: '', from, until: confirmed });
      return void secrets.push({ accountId, secret: signingSecret, from, until: null });
    } catch (error) {
      if (!hasCode(error, ...LOST)) throw error;
      if (isTooLate()) return void secrets.push({ accountId, secret: '', from, until: null });
      await pause(RETRY_MS);
    }
}

/** Erases some of the settled submissions, after it has put a hold on one of them. */
export async function eraseSome({ staff }: Infrastructure, { requests, erasures }: Asked): Promise<void> {
  const ids = [...new Set(requests.flatMap(({ seen }) => (seen ? [seen.submissionId] : [])))].slice(0, 6);
  const [held, ...submissionIds] = ids;
  if (held === undefined || submissionIds.length === 0)
    throw new Error('fewer than two submissions were acknowledged, so none can be erased');
  const purpose = 'request 1';
  await staff.privacy.holdSubmissions({ submissionIds: [held], purpose });
  const refusal = await staff.privacy
    .requestErasure({ submissionIds: [held], purpose })
    .catch((error: unknown) => error);
  if (!(refusal instanceof Error))
    throw new Error(`the erasure of ${held} was accepted in spite of its hold`);
  if (!hasCode(refusal, Code.FailedPrecondition)) throw refusal;
  erasures.push({ submissionId: held, held: true });
  await staff.privacy.requestErasure({ submissionIds, purpose });
  erasures.push(...submissionIds.map((submissionId) => ({ submissionId, held: false })));
}
