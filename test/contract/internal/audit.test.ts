import { randomUUID } from 'node:crypto';
import { type DescMethod, getOption } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { CallOptions } from '@connectrpc/connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import { access } from '@supplier/proto/common/v1/options';
import { DecisionMode, PreUnderwritingFailure, Scope } from '@supplier/proto/common/v1/principal';
import { BillingModel, Environment, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { ReconciliationService } from '@supplier/proto/reconciliation/v1/reconciliation';
import { CloseReason } from '@supplier/proto/submission/v1/pending_leads';
import { PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { PreUnderwritingState, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { DeliveryState, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { type NewAccount, newAccount, newSupplier } from '../../harness/accounts.ts';
import { auditOf, park } from '../../harness/audit.ts';
import { pendingForEver } from '../../harness/billing.ts';
import { endpointOf, gapEnds, type OwnReceiver, startReceiver } from '../../harness/endpoints.ts';
import { enquiry, screening } from '../../harness/enquiries.ts';
import { rpcClient, staff } from '../../harness/rpc.ts';
import { pdf, scanStatus, sent } from '../../harness/scans.ts';
import type { ServiceName } from '../../harness/stack.ts';
import { created, decided, type SupplierApi } from '../../harness/suppliers.ts';
import { token } from '../../harness/tokens.ts';
import { finalized } from '../../harness/uploads.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

/** Two deliveries that fail eight times each, on a busy machine. */
const SET_UP_MS = 120_000;
const MODEL = BillingModel.ACCEPTED_SUBMISSION;
const SECOND_PERSON = 'second-person';
const NOBODY_LISTENS = 'https://127.0.0.1:9/';

let account: NewAccount;
let api: SupplierApi;
let receiver: OwnReceiver;
let at: ReturnType<typeof endpointOf>;
/** Submissions with an undelivered event. */
let undelivered: string[];
/** A submission that was under legal hold. */
let held: { submissionIds: string[]; purpose: string };
beforeAll(async () => {
  account = await newAccount();
  [api, receiver] = [await account.issue(), await startReceiver()];
  at = endpointOf(account.accountId);
});
afterAll(() => receiver?.close());

type Act = (options: CallOptions) => Promise<unknown>;

/** Every staff action that changes something or shows personal data, in an order in which each can succeed. */
const ACTS: Record<string, Act> = {
  'account/CreateAccount': (options) =>
    staff.account().createAccount(
      {
        name: `audit ${randomUUID()}`,
        permittedScopes: [Scope.READ],
        terms: { billingModel: 1, decisionMode: 1, applicationMinting: 1, preUnderwritingFailure: 1 },
      },
      options,
    ),
  'account/UpdateAccount': async (options) => {
    const { revision, state, permittedScopes, terms } = await staff.account().getAccount(account);
    // A different limit each time, because a change without effect is not recorded.
    const limits = { readsPerMinute: 1_000_000 + Number(revision) };
    const changed = { revision, state, permittedScopes, limits, ...(terms && { terms }) };
    return staff.account().updateAccount({ accountId: account.accountId, ...changed }, options);
  },
  'account/ScheduleTerms': (options) => staff.account().scheduleTerms(termsOf(account), options),
  'account/CancelScheduledTerms': async (options) => {
    const { scheduledTermsId } = await staff.account().scheduleTerms(termsOf(account));
    return staff.account().cancelScheduledTerms({ scheduledTermsId }, options);
  },
  'account/IssueCredential': (options) =>
    staff
      .account()
      .issueCredential(
        { accountId: account.accountId, environment: Environment.SANDBOX, scopes: [Scope.READ] },
        options,
      ),
  'account/RevokeCredential': async (options) => {
    const { credentialId } = await account.issue();
    return staff.account().revokeCredential({ credentialId }, options);
  },
  'submission/DecideSubmission': async (options) => {
    const { submission_id } = await created(
      await newSupplier({ decisionMode: DecisionMode.STAFF }),
      enquiry(),
    );
    const decision = { submissionId: submission_id, decision: Status.REJECTED, reason: 'looked at by hand' };
    return staff.submission().decideSubmission(decision, options);
  },
  'submission/DecideSubmissions': async (options) => {
    const { submission_id } = await created(
      await newSupplier({ decisionMode: DecisionMode.STAFF }),
      enquiry(),
    );
    const decision = { submissionId: submission_id, decision: Status.REJECTED, reason: 'looked at by hand' };
    return staff.submission().decideSubmissions({ decisions: [decision] }, options);
  },
  'submission/GetApplication': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    return staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId: submission_id }, options);
  },
  'submission/GetDecisionFacts': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    return staff
      .submission()
      .getDecisionFacts({ submissionId: submission_id, purpose: 'the supplier asked why' }, options);
  },
  'submission/ReadEnquiry': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    return staff
      .submission()
      .readEnquiry({ submissionId: submission_id, purpose: 'asked by telephone' }, options);
  },
  'submission/ReturnSubmission': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    const reasonCategory = ReturnReasonCategory.OVERDUE_FILINGS;
    return staff.submission().returnSubmission({ submissionId: submission_id, reasonCategory }, options);
  },
  'submission/ReturnSubmissions': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    const returned = { submissionId: submission_id, reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS };
    return staff.submission().returnSubmissions({ returns: [returned] }, options);
  },
  'submission/CompletePreUnderwriting': async (options) =>
    staff.submission().completePreUnderwriting(await clearing(), options),
  'submission/CompletePreUnderwritings': async (options) =>
    staff.submission().completePreUnderwritings({ completions: [await clearing()] }, options),
  'submission/ReleaseParkedWork': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    await park(submission_id);
    return staff.submission().releaseParkedWork({ submissionIds: [submission_id] }, options);
  },
  'privacy/FindPerson': (options) =>
    staff.privacy().findPerson({ email: 'nobody@example.test', purpose: 'asked by letter' }, options),
  'privacy/ExportSubmission': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    const request = { submissionId: submission_id, purpose: 'asked by letter' };
    return staff.privacy().exportSubmission(request, options);
  },
  'privacy/HoldSubmissions': async (options) => {
    const { submission_id } = await decided(api, enquiry());
    held = { submissionIds: [submission_id], purpose: 'a claim in court' };
    return staff.privacy().holdSubmissions(held, options);
  },
  'privacy/ReleaseHold': (options) => staff.privacy().releaseHold(held, options),
  'privacy/RequestErasure': (options) => staff.privacy().requestErasure(held, options),
  'policy/StorePolicy': async (options) =>
    policies().storePolicy({ ...(await laterDecisionPolicy()), note: 'for its entry' }, options),
  'policy/ActivatePolicy': async (options) => {
    const { version } = await policies().storePolicy({
      ...(await laterDecisionPolicy()),
      note: 'for its entry',
    });
    const kind = PolicyKind.DECISION;
    return policies().activatePolicy({ kind, version, purpose: 'for its entry' }, options);
  },
  'policy/DryRunPolicy': async (options) => {
    const { text } = await policies().getPolicy({ kind: PolicyKind.DECISION });
    for await (const { finished } of policies().dryRunPolicy({ text, last: 10, purpose: 'a test' }, options))
      if (finished) return;
  },
  'approval/RequestApproval': (options) => askToActivate(options),
  'approval/ApproveRequest': async (options) =>
    secondPerson().approveRequest({ approvalId: (await askToActivate()).approvalId }, options),
  'approval/RefuseRequest': async (options) =>
    approvals().refuseRequest(
      { approvalId: (await askToActivate()).approvalId, reason: 'for its entry' },
      options,
    ),
  'document/ListDocuments': async (options) => {
    const { submissionId } = await finalized(api);
    return staff.document().listDocuments({ purpose: 'read by a test', submissionId }, options);
  },
  'document/DeleteDocument': async (options) => {
    const { documentId } = await finalized(api);
    return staff.document().deleteDocument({ documentId }, options);
  },
  'billing/SetPrice': (options) =>
    staff.billing().setPrice({ accountId: account.accountId, billingModel: MODEL, pence: 2500 }, options),
  'billing/CloseMonth': (options) =>
    staff.billing().closeMonth({ accountId: account.accountId, month: '2026-01' }, options),
  'submission/ClosePendingLead': async (options) => {
    const { submission_id: submissionId } = await pendingForEver();
    return staff
      .submission()
      .closePendingLead({ submissionId, closeReason: CloseReason.GIVEN_UP_BY_SUPPLIER }, options);
  },
  'reconciliation/Reconcile': async (options) => {
    const findings = rpcClient('account', ReconciliationService).reconcile({ repair: true }, options);
    for await (const finding of findings) expect(finding.accountId).toBe('');
  },
  'webhook/CreateEndpoint': (options) =>
    staff.webhook().createEndpoint({ ...at, url: receiver.url }, options),
  'webhook/PreflightEndpoint': (options) =>
    staff.webhook().preflightEndpoint({ ...at, url: NOBODY_LISTENS }, options),
  'webhook/RedeliverEvent': async (options) => {
    undelivered = await failedDeliveries(2);
    const { events } = await staff.webhook().listEvents({ submissionId: undelivered[0] ?? '' });
    const exhausted = events.find(({ state }) => state === DeliveryState.EXHAUSTED);
    return staff.webhook().redeliverEvent({ eventId: exhausted?.eventId ?? '' }, options);
  },
  'webhook/RedeliverExhausted': (options) =>
    staff.webhook().redeliverExhausted({ ...at, since: timestampFromMs(Date.now() - 600_000) }, options),
  'webhook/GetEvent': async (options) => {
    const { events } = await staff.webhook().listEvents({ submissionId: undelivered[0] ?? '' });
    return staff
      .webhook()
      .getEvent({ purpose: 'read by a test', eventId: events[0]?.eventId ?? '' }, options);
  },
  'webhook/SendTestEvent': (options) =>
    staff.webhook().sendTestEvent({ submissionId: undelivered[0] ?? '' }, options),
  'webhook/UpdateEndpointUrl': (options) =>
    staff.webhook().updateEndpointUrl({ ...at, url: `${receiver.url}/moved` }, options),
  'webhook/RotateSecret': (options) => staff.webhook().rotateSecret(at, options),
  'webhook/DisableEndpoint': (options) => staff.webhook().disableEndpoint(at, options),
  'webhook/EnableEndpoint': (options) => staff.webhook().enableEndpoint(at, options),
};

const ACTS_ON_SCANNED: Record<string, Act> = {
  'document/DownloadDocument': async (options) => {
    const { documentId } = await scanned();
    return staff.document().downloadDocument({ purpose: 'read by a test', documentId }, options);
  },
  'document/RescanDocument': async (options) => {
    const { documentId } = await scanned();
    return staff.document().rescanDocument({ documentId }, options);
  },
};

/** Staff reads that need no audit entry, because they contain no personal data. */
const READS = [
  'account/GetAccount',
  'account/ListAccounts',
  'account/ListCredentials',
  'account/ListScheduledTerms',
  'submission/GetSubmission',
  'submission/GetQueues',
  'submission/GetTimeline',
  'submission/WatchQueues',
  'submission/WatchTimeline',
  'submission/ListParkedWork',
  'submission/ListPendingLeads',
  'submission/ListSubmissions',
  'privacy/GetErasure',
  'privacy/ListErasures',
  'privacy/PreviewRetention',
  'policy/ListPolicies',
  'policy/GetRuleEffect',
  'policy/GetPolicy',
  'policy/ValidatePolicy',
  'approval/GetApproval',
  'approval/ListApprovals',
  'document/ListWaitingDocuments',
  'billing/GetLead',
  'billing/ListPrices',
  'billing/GetStatement',
  'billing/StreamStatement',
  'billing/GetBillableValue',
  'submission/GetIntake',
  'webhook/GetDeliveryFigures',
  'webhook/GetEndpoint',
  'webhook/ListEndpoints',
  'webhook/ListEvents',
  'webhook/ListEndpointEvents',
  'audit/ListAudit',
  'audit/ExportAudit',
];

describe('the audit log', () => {
  it('is tested here for every staff operation', () => {
    const asked = [...Object.keys(ACTS), ...Object.keys(ACTS_ON_SCANNED), ...READS];
    expect(asked.sort()).toEqual(staffMethods().sort());
  });

  it.each(Object.entries(ACTS))('records the actor, action, time and request of %s', expectLine, SET_UP_MS);
});

describe('the audit log of scanned documents', () => {
  it.each(Object.entries(ACTS_ON_SCANNED))(
    'records the actor, action, time and request of %s on a scanned document',
    expectLine,
    SET_UP_MS,
  );
});

/** The process that serves a contract which isn't named after it. */
const ANSWERED_BY: Partial<Record<string, ServiceName>> = {
  approval: 'submission',
  policy: 'submission',
  privacy: 'submission',
  reconciliation: 'account',
};

async function expectLine(name: string, act: Act): Promise<void> {
  const [contract = '', method = ''] = name.split('/');
  const service = ANSWERED_BY[contract] ?? (contract as ServiceName);
  const requestId = `audit-${randomUUID()}`;
  const before = Date.now();
  await act({ headers: { 'x-request-id': requestId } });
  // The steps of an erasure have their own entries.
  const all = await auditOf(service, requestId);
  const lines = all.filter(({ action }) => action === method || !action.startsWith('Erase'));
  expect(lines.length).toBeGreaterThan(0);
  for (const { actor, action, at: time } of lines) {
    expect(actor).toBe(method === 'ApproveRequest' ? SECOND_PERSON : 'local-administrator');
    expect(action).toBe(method);
    expect(Math.abs(time.getTime() - before)).toBeLessThan(SET_UP_MS);
  }
}

const policies = () => rpcClient('submission', PolicyService);
const approvals = () => rpcClient('submission', ApprovalService);
const secondPerson = () =>
  rpcClient(
    'submission',
    ApprovalService,
    token({ roles: ['staff:admin'], audience: 'submission', subject: SECOND_PERSON }),
  );
async function askToActivate(options?: CallOptions) {
  const purpose = 'for its entry';
  const { version } = await policies().storePolicy({ ...(await laterDecisionPolicy()), note: purpose });
  const argumentsJson = JSON.stringify({ kind: 'POLICY_KIND_DECISION', version, purpose });
  return approvals().requestApproval({ action: 'ActivatePolicy', argumentsJson, purpose }, options);
}

/** Stores the active policy under another version, so that decisions stay the same. */
async function laterDecisionPolicy() {
  const { text } = await policies().getPolicy({ kind: PolicyKind.DECISION });
  const later = { ...JSON.parse(text), version: `audit-${randomUUID()}` };
  return { kind: PolicyKind.DECISION, text: JSON.stringify(later) };
}

function staffMethods(): string[] {
  const services = [
    ...[AccountService, SubmissionService, PrivacyService, PolicyService, DocumentService],
    ...[BillingService, WebhookService],
  ];
  const isForStaff = (method: DescMethod) =>
    getOption(method, access).roles.some((r) => r.startsWith('staff:'));
  return [...services, ApprovalService, AuditService, ReconciliationService].flatMap(({ name, methods }) =>
    methods.filter(isForStaff).map((method) => `${name.replace('Service', '').toLowerCase()}/${method.name}`),
  );
}

async function failedDeliveries(count: number): Promise<string[]> {
  receiver.answers = 500;
  const submissions = await Promise.all(Array.from({ length: count }, () => decided(api, enquiry())));
  const ids = submissions.map(({ submission_id }) => submission_id);
  await waitFor(
    'eight attempts to fail',
    async () => {
      for (const submissionId of ids) {
        const { events } = await staff.webhook().listEvents({ submissionId });
        for (const { eventId, nextAttemptAt } of events) if (nextAttemptAt) await gapEnds(eventId);
        if (!events.some(({ state }) => state === DeliveryState.EXHAUSTED)) throw new NotYet(submissionId);
      }
    },
    { withinMs: 60_000 },
  );
  receiver.answers = 204;
  return ids;
}

/** Returns terms that take effect in an hour, different each time. */
const termsOf = ({ accountId }: NewAccount) => {
  const effectiveFrom = timestampFromMs(Date.now() + 3_600_000);
  return { accountId, caps: { acceptedPerDay: 7 }, effectiveFrom, purpose: 'agreed with the supplier' };
};

/** Prepares a submission that failed pre-underwriting and awaits staff; returns the request that clears it. */
async function clearing() {
  const queued = await newSupplier({ preUnderwritingFailure: PreUnderwritingFailure.QUEUE_FOR_STAFF });
  const body = enquiry({ credit_screening: screening({ unsatisfied_ccjs: 'fail' }) });
  const { submission_id: submissionId } = await decided(queued, body);
  await waitFor('pre-underwriting to fail', async () => {
    const { preUnderwriting } = await staff
      .submission()
      .getApplication({ purpose: 'read by a test', submissionId });
    if (!preUnderwriting?.reasons.length) throw new NotYet('pending');
  });
  return { submissionId, outcome: PreUnderwritingState.CLEARED };
}

async function scanned() {
  const document = await sent(api, pdf());
  expect(await scanStatus(api, document)).toBe('clean');
  return document;
}
