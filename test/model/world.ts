import { Code, ConnectError } from '@connectrpc/connect';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
  Scope,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { type Terms as AccountTerms, newAccount } from '../harness/accounts.ts';
import { type Arrival, newEndpoint, type OwnReceiver } from '../harness/endpoints.ts';
import {
  type Body,
  declared,
  minimalDelivery,
  minimalEnquiry,
  minimalPromotion,
  newCompanyNumber,
  newCustomer,
  newReference,
  screening,
} from '../harness/enquiries.ts';
import type { Answer } from '../harness/http.ts';
import { submissionOf } from '../harness/responses.ts';
import { staff } from '../harness/rpc.ts';
import { asErrorBody, asStatusObject, type StatusObject } from '../harness/schemas.ts';
import type { SupplierApi } from '../harness/suppliers.ts';
import type { RequestedUpload } from '../harness/uploads.ts';
import { NotYet, waitFor } from '../harness/wait.ts';
import {
  type Customer,
  type Enquiry,
  type Finding,
  type Outcome,
  type Promotion,
  type State,
  type Supplier,
  submissionAt,
  supplierAt,
  type Terms,
  type View,
  viewOf,
} from './state.ts';

export const SETTLED = { withinMs: 30_000 };
/** The number of different values of each field that is compared. */
export const VALUES = 4;

/** A submission as its supplier sent it and last saw it. */
export interface Sent {
  readonly body: Body;
  readonly id: string;
  readonly seen: StatusObject;
  /** The latest link of each kind. */
  readonly links: { readonly handoff?: string | undefined; readonly arrival?: string | undefined };
}

/** A supplier's clients, and its account as staff see it. */
export interface Caller {
  readonly api: SupplierApi;
  /** Has a credential that may only read. */
  readonly reader: SupplierApi;
}

const staffClients = () => ({
  account: staff.account(),
  submission: staff.submission(),
  privacy: staff.privacy(),
  document: staff.document(),
  billing: staff.billing(),
  webhook: staff.webhook(),
});

/** The real services, as the suppliers and staff of one sequence use them. */
export interface World {
  readonly staff: ReturnType<typeof staffClients>;
  readonly callers: readonly Caller[];
  /** Returns the webhooks that have arrived since the sequence began. */
  readonly arrivals: () => readonly Arrival[];
  readonly customers: readonly Required<Body>[];
  /** In the order of the model. */
  readonly sent: Sent[];
  /** Ids of documents and approvals, in the order of the model. */
  readonly documents: RequestedUpload[];
  readonly approvals: { readonly approvalId: string; readonly accountId: string }[];
}

/** Opens an account with two credentials and an endpoint for each supplier. */
export async function openWorld(suppliers: readonly Supplier[], receiver: OwnReceiver): Promise<World> {
  const callers: Caller[] = [];
  for (const { environment, terms } of suppliers) {
    const account = await newAccount(termsOf(terms));
    const [api, reader] = await Promise.all([
      account.issue({ environment }),
      account.issue({ environment, scopes: [Scope.READ] }),
      newEndpoint(account.accountId, receiver.url, environment),
    ]);
    callers.push({ api, reader });
  }
  const customers = Array.from({ length: VALUES }, () => ({
    ...newCustomer(),
    company_number: newCompanyNumber(),
  }));
  const mark = receiver.arrivals.length;
  const lists = { sent: [], documents: [], approvals: [] };
  return {
    callers,
    staff: staffClients(),
    arrivals: () => receiver.arrivals.slice(mark),
    customers,
    ...lists,
  };
}

const BILLING_MODELS = {
  accepted_submission: BillingModel.ACCEPTED_SUBMISSION,
  application_created: BillingModel.APPLICATION_CREATED,
  pre_underwriting_cleared: BillingModel.PRE_UNDERWRITING_CLEARED,
};

export const termsOf = (terms: Terms): Required<Pick<AccountTerms, 'billingModel'>> & AccountTerms => ({
  billingModel: BILLING_MODELS[terms.billing],
  decisionMode: terms.decidedByStaff ? DecisionMode.STAFF : DecisionMode.AUTOMATIC,
  applicationMinting: terms.mintedOnPromotion
    ? ApplicationMinting.ON_PROMOTION
    : ApplicationMinting.ON_ACCEPTANCE,
  preUnderwritingFailure: terms.failuresQueue
    ? PreUnderwritingFailure.QUEUE_FOR_STAFF
    : PreUnderwritingFailure.RETURN,
  thresholds: terms.minimumAmount === null ? {} : { minimumFundingAmount: terms.minimumAmount },
  caps: terms.dailyCap === null ? {} : { acceptedPerDay: terms.dailyCap },
  enrolments: { arrivalScreen: terms.arrivalScreen, documentFirst: terms.documentFirst },
});

/** Returns a new body for an enquiry. */
export function bodyOf(world: World, enquiry: Enquiry): Body {
  const { level, businessName: business_name, amount: funding_amount, finding } = enquiry;
  const stated = { external_reference: newReference(), business_name, funding_amount };
  const customer = customerFields(world, enquiry);
  return level === 'basic'
    ? minimalDelivery({ ...stated, ...customer })
    : minimalEnquiry({ ...stated, ...customer, ...findingFields(finding) });
}

export function promotionOf(world: World, key: string, { finding, ...customer }: Promotion): Body {
  const fields = { ...customerFields(world, customer), ...findingFields(finding) };
  return minimalPromotion({ operation_idempotency_key: key, ...fields });
}

function customerFields({ customers }: World, { company, telephone, email }: Customer): Body {
  return {
    telephone: customers[telephone]?.telephone,
    ...(email !== null && { email: customers[email]?.email }),
    ...(company !== null && { company_number: customers[company]?.company_number }),
  };
}

const FIELDS: Readonly<Record<Finding, Body>> = {
  none: {},
  dissolved: { company_status: 'fail' },
  judgments: { unsatisfied_ccjs: 'fail' },
  adverse: { declared: declared({ adverse_credit: 'current' }) },
  overdue: { declared: declared({ overdue_finance_repayments: true }) },
};
const findingFields = (finding: Finding): Body =>
  finding === 'none' ? {} : { credit_screening: screening(FIELDS[finding]) };

/** Returns a supplier's answer in the model's form: status, code, and paths or facts, with ids as `#` and a place. */
export function described({ sent }: World, { status, json }: Answer): string {
  if (status < 300) return String(status);
  const { code, details } = asErrorBody(json);
  const facts = Array.isArray(details) ? details.map(({ path }) => path) : Object.values(details ?? {});
  const named = facts.map((fact) => {
    const at = sent.findIndex(({ id, seen }) => fact === id || fact === seen.application_reference);
    return at < 0 ? fact : `#${at}`;
  });
  return [status, code, ...named].join(' ');
}

/** Returns staff's answer in the model's form. */
export const staffAnswer = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'ok',
    (error: unknown) => Code[ConnectError.from(error).code] ?? 'unknown',
  );

/** Compares a supplier's answer with the model's, and returns the model's next state. */
export function answered(world: World, outcome: Outcome, answer: Answer, at?: number): State {
  expect(described(world, answer)).toBe(outcome.answer);
  const shown = outcome.response ?? (at === undefined ? undefined : viewOf(submissionAt(outcome.state, at)));
  if (answer.status >= 300 || !shown) return outcome.state;
  const seen = seenOf(asStatusObject(answer.json, 'create'));
  // A return that follows the response may already have ended the link.
  const mayHaveEnded = outcome.response && outcome.state.submissions.at(at ?? -1)?.status === 'returned';
  expect(seen).toEqual(mayHaveEnded && !seen.handoff ? { ...shown, handoff: false } : shown);
  return outcome.state;
}

export const seenOf = (s: StatusObject): View => ({
  level: s.level,
  status: s.status,
  hasApplication: s.application_reference !== null,
  billing: s.billing.billing_status,
  notBillable: s.billing.not_billable_reason,
  model: s.billing.billing_model,
  returned: s.return?.reason_category ?? null,
  handoff: s.handoff !== undefined,
});

/** Compares what suppliers see of every submission with the model, once work in progress has ended. */
export async function agree(world: World, state: State): Promise<void> {
  await Promise.all(
    state.submissions.map(async (submission, at) => {
      if (supplierAt(state, submission.supplier).isSuspended) return;
      const { api } = world.callers[submission.supplier]!;
      const before = world.sent[at]!;
      const expected = viewOf(submission);
      const seen = await waitFor(
        `submission #${at} to be ${JSON.stringify(expected)}`,
        async () => {
          const now = submissionOf(await api.readByReference(before.seen.external_reference), 200);
          if (isBehind(seenOf(now), expected)) throw new NotYet(JSON.stringify(seenOf(now)));
          return now;
        },
        SETTLED,
      );
      expect([at, seenOf(seen)]).toEqual([at, expected]);
      expect(seen).toMatchObject(lastingOf(before.seen));
      if (seen.handoff && before.seen.handoff) expect(seen.handoff).toEqual(before.seen.handoff);
      if (seen.billing.billable_at) expect(seen.billing.billable_at).toEqual(sinceWhen(seen));
      const handoff = seen.handoff?.customer_journey_url ?? before.links.handoff;
      world.sent[at] = { ...before, seen, links: { ...before.links, handoff } };
    }),
  );
}

/** Whether what is expected can still follow from what is seen. */
const isBehind = (seen: View, expected: View): boolean =>
  (seen.status === 'received' && expected.status !== 'received') ||
  (seen.status === 'accepted' &&
    (expected.status === 'returned' ||
      (expected.status === 'accepted' &&
        ((expected.hasApplication && !seen.hasApplication) ||
          (seen.billing === 'pending' && expected.billing !== 'pending')))));

/** What never changes once it is set. */
function lastingOf(s: StatusObject): Partial<StatusObject> {
  const { handoff, billing, arrival_screen_url, ...rest } = s;
  const lasting = { ...rest, ...(s.status !== 'received' && { decided_at: s.decided_at }) };
  const set = Object.entries(lasting).filter(([name, value]) => value !== null && name !== 'status');
  return Object.fromEntries(set);
}

/** The fact that made it billable, if its time is visible. */
const sinceWhen = ({ billing, decided_at, application_created_at }: StatusObject): unknown =>
  ({
    accepted_submission: decided_at,
    application_created: application_created_at,
    pre_underwriting_cleared: expect.any(String),
  })[billing.billing_model];
