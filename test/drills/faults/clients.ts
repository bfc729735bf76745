import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { Code, createClient } from '@connectrpc/connect';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
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
import { hasCode, type StaffClients, staffTransport } from '../../../deploy/local/seed/staff-clients.ts';
import { supplierTable } from '../../../deploy/local/seed/supplier-table.ts';
import { rpcUrl } from '../../../deploy/local/services/process-table.ts';
import { APPLICANTS_NAME, answerOf } from '../load.ts';
import type { Loss } from '../stores/postgres-pair.ts';
import { isLost } from '../stores/without-lost.ts';
import type { Infrastructure } from '../upgrade/infrastructure.ts';
import type { Account, ClientRequest, Erasure, SecretPeriod, UsedApproval } from './evidence.ts';
import type { Receivers } from './receivers.ts';
import { OUTAGES } from './rules.ts';
import { seenIn } from './seen-status.ts';

const PRODUCTION = Environment.PRODUCTION;
const RETRY_MS = 300;
const MAX_REQUESTS = 200_000;
/** How long a request is repeated after the run has ended. */
const GIVE_UP_MS = 240_000;

/** What suppliers and staff do. Shares are from 0 to 1. */
export interface Load {
  readonly senders: number;
  /** The pause of a sender between two submissions. */
  readonly paceMs: number;
  /** The daily cap of each supplier; null without one. */
  readonly caps: readonly (number | null)[];
  /** The share of submissions that come from one of the latest `latest` customers. */
  readonly known: number;
  readonly latest: number;
  /** The pause of staff between two acts. */
  readonly staffPaceMs: number;
  /** The share of those acts that rotate a signing secret. */
  readonly rotations: number;
}

export const usualLoad = (minutes: number): Load => ({
  ...{ senders: 6, paceMs: 150, caps: [null, null, Math.ceil(minutes * 10)] },
  ...{ known: 0.15, latest: 20, staffPaceMs: 700, rotations: 0.1 },
});

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
  readonly approvals: UsedApproval[];
}

/** `customers` is the number of customers that earlier runs have used. */
export const nothingAsked = (customers: number): Asked => ({
  ...{ customers, requests: [], secrets: [], erasures: [], approvals: [] },
});

/** Opens a supplier for each cap, each with an endpoint in production. */
export async function openSuppliers(
  { staff, productionUrl }: Infrastructure,
  receivers: Receivers,
  asked: Asked,
  caps: Load['caps'],
): Promise<Supplier[]> {
  const wanted = supplierTable.find(({ limits }) => limits !== undefined);
  if (!wanted) throw new Error('every supplier uses the default limits');
  const suppliers: Supplier[] = [];
  for (const cap of caps) {
    const own = create(CapsSchema, cap === null ? {} : { acceptedPerDay: cap });
    const terms = create(TermsSchema, { ...wanted.terms, caps: own });
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
 * bodies, customers of other suppliers, and reads of new and earlier submissions.
 */
export async function sendSubmissions(
  suppliers: readonly Supplier[],
  asked: Asked,
  { paceMs, known, latest }: Load,
  choose: Choices,
  until: AbortSignal,
): Promise<void> {
  const { requests } = asked;
  const isTooLate = deadline(until);
  while (!until.aborted && requests.length < MAX_REQUESTS) {
    const supplier = choose.of(suppliers);
    const customer =
      asked.customers > 0 && choose.in(known)
        ? asked.customers - choose.whole(0, Math.min(asked.customers, latest) - 1)
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
      const wrong = choose.in(0.5) ? { funding_amount: -1 } : { unknown_field: 1 };
      await ask(invalid, (client) =>
        client.create({ ...body, external_reference: invalid.reference, ...wrong }),
      );
    } else if (dice <= 50)
      await ask({ ...subject, kind: 'read' }, (client) => client.read(seen.submissionId));
    else if (dice <= 80) {
      const earlier = requests[choose.whole(Math.max(0, requests.length - 200), requests.length - 1)];
      const owner = suppliers.find(({ id }) => id === earlier?.accountId);
      if (owner && earlier?.seen) {
        const { reference, customer, seen: was } = earlier;
        await ask({ supplier: owner, kind: 'read', reference, customer }, (client) =>
          client.read(was.submissionId),
        );
      }
    }
    await pause(paceMs);
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
  { staffPaceMs, rotations }: Load,
  choose: Choices,
  until: AbortSignal,
): Promise<void> {
  const isTooLate = deadline(until);
  while (!until.aborted) {
    await pause(staffPaceMs, undefined, { signal: until }).catch(() => undefined);
    if (choose.in(rotations)) await rotate(staff, choose.of(suppliers).id, secrets, receivers, isTooLate);
    const { seen } = requests[choose.whole(0, requests.length)] ?? {};
    if (!seen) continue;
    const reasonCategory = ReturnReasonCategory.OUTSTANDING_CCJS;
    // Refused for a submission that isn't accepted. After any other failure it is unknown whether it is returned.
    await staff.submission
      .returnSubmission({ submissionId: seen.submissionId, reasonCategory })
      .catch(() => undefined);
  }
}

/** The codes of calls whose outcome is unknown. */
const LOST = [Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Internal, Code.Aborted];

/**
 * Rotates a secret. While the outcome is unknown, any signature may be in force. Calls are repeated with the same key, so
 * that one that arrives late replaces no newer secret.
 */
async function rotate(
  { webhook }: StaffClients,
  accountId: string,
  secrets: SecretPeriod[],
  receivers: Receivers,
  isTooLate: () => boolean,
): Promise<void> {
  const from = Date.now();
  let idempotencyKey = randomUUID();
  for (let failures = 0; ; failures++)
    try {
      const call = { accountId, environment: PRODUCTION, idempotencyKey };
      const { signingSecret, secretAlreadyShown } = await webhook.rotateSecret(call);
      const confirmed = Date.now();
      if (secretAlreadyShown) {
        idempotencyKey = randomUUID();
        continue;
      }
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
export async function eraseSome(
  { staff }: Infrastructure,
  { requests, erasures }: Asked,
  losses: readonly Loss[],
): Promise<void> {
  const [held, ...submissionIds] = kept(requests, losses).slice(0, 6);
  if (held === undefined || submissionIds.length === 0)
    throw new Error('fewer than two submissions were acknowledged, so none can be erased');
  const purpose = 'request 1';
  await staff.privacy.holdSubmissions({ submissionIds: [held], purpose });
  erasures.push({ submissionId: held, held: true });
  await isAllowed(staff.privacy.requestErasure({ submissionIds: [held], purpose }));
  await staff.privacy.requestErasure({ submissionIds, purpose });
  erasures.push(...submissionIds.map((submissionId) => ({ submissionId, held: false })));
}

/** Gets the erasure of one submission approved, and tries to use the approval for another one. */
export async function misuseApproval(
  infrastructure: Infrastructure,
  { requests, approvals }: Asked,
  losses: readonly Loss[],
): Promise<void> {
  const [approvedFor, usedFor] = kept(requests, losses).slice(6);
  if (approvedFor === undefined || usedFor === undefined) return;
  const purpose = 'request 2';
  const approvalId = await approveErasure(infrastructure, approvedFor, purpose);
  const misuse = { submissionIds: [usedFor], purpose, approvalId };
  const misused = infrastructure.staff.privacy.requestErasure(misuse);
  approvals.push({ approvedFor, usedFor, isAccepted: await isAllowed(misused) });
}

/** Returns the acknowledged submissions that no failover may have lost. */
function kept(requests: readonly ClientRequest[], losses: readonly Loss[]): string[] {
  const acknowledged = requests.filter(({ seen, answeredAt }) => seen && !isLost(losses, answeredAt));
  return [...new Set(acknowledged.flatMap(({ seen }) => seen?.submissionId ?? []))];
}

/** Returns false for a call that is refused because of its target's state. */
const isAllowed = (call: Promise<unknown>): Promise<boolean> =>
  call.then(
    () => true,
    (error: unknown) => {
      if (hasCode(error, Code.FailedPrecondition)) return false;
      throw error;
    },
  );

/** Requests the approval of an erasure, and gives it as a second person. Returns its id. */
async function approveErasure(
  { surroundings, token, secondToken }: Infrastructure,
  submissionId: string,
  purpose: string,
): Promise<string> {
  const approvalsAs = (person: string) =>
    createClient(
      ApprovalService,
      staffTransport(rpcUrl(surroundings, 'submission'), () => person, surroundings.parts?.operator),
    );
  const argumentsJson = JSON.stringify({ submissionIds: [submissionId], purpose });
  const asked = { action: 'RequestErasure', argumentsJson, purpose };
  const { approvalId } = await approvalsAs(token).requestApproval(asked);
  await approvalsAs(secondToken).approveRequest({ approvalId });
  return approvalId;
}
