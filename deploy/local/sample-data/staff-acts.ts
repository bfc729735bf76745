import { create, type DescMessage, type MessageInitShape, toJsonString } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { IssueCredentialRequestSchema, UpdateAccountRequestSchema } from '@supplier/proto/account/v1/account';
import { CapsSchema, Scope } from '@supplier/proto/common/v1/principal';
import { Environment, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { RequestErasureRequestSchema } from '@supplier/proto/submission/v1/erasures';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { ActivatePolicyRequestSchema, PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { Progress } from './progress.ts';
import type { SupplierKey } from './sample-suppliers.ts';
import type { Staff } from './staff.ts';

/** Of the submissions that await a decision, this many stay. */
const LEFT_WAITING = 0.35;
const LATER_MS = 20 * 86_400_000;
const NEW_RULE = {
  rule: 'young-hospitality',
  when: 'enquiry.business_sector == BusinessSector.BUSINESS_SECTOR_HOSPITALITY && enquiry.trading_duration == TradingDuration.TRADING_DURATION_LESS_THAN_1',
  outcome: 'rejected',
  reason: 'Hospitality businesses must have traded for a year.',
};
const NEW_CHECK = {
  rule: 'large-amount-young-business',
  when: 'enquiry.funding_amount > 250000 && enquiry.trading_duration == TradingDuration.TRADING_DURATION_1_2_YEARS',
  category: 'pre_underwriting_criteria_not_met',
};

export interface ActTask {
  readonly progress: Progress;
  /** Two administrators, so that one can decide on the other's requests. */
  readonly staff: readonly [Staff, Staff];
  /** The submissions of each supplier, by reference. */
  readonly submissions: Readonly<Record<SupplierKey, readonly ListedSubmission[]>>;
}

/** Does what staff would have done by now: decisions, returns, policies, terms, approvals, and data requests. */
export async function actAsStaff(task: ActTask): Promise<void> {
  await decideSome(task);
  await returnSome(task);
  await storePolicies(task);
  await scheduleTerms(task);
  await handleDataRequests(task);
  await requestApprovals(task);
}

async function decideSome({ progress, staff: [staff], submissions }: ActTask): Promise<void> {
  const waiting = submissions.copper.filter(({ status }) => status === Status.RECEIVED);
  const decisions = waiting
    .slice(Math.ceil(waiting.length * LEFT_WAITING))
    .slice(0, 100)
    .map(({ submissionId }, index) =>
      index % 4 === 3
        ? { submissionId, decision: Status.REJECTED, reason: 'accounts overdue at Companies House' }
        : { submissionId, decision: Status.ACCEPTED, reason: 'trading record and bank statements seen' },
    );
  if (decisions.length > 0)
    await progress.once('decisions', () => staff.submission.decideSubmissions({ decisions }));
}

async function returnSome({ progress, staff: [staff], submissions }: ActTask): Promise<void> {
  const accepted = submissions.harbour.filter(({ status }) => status === Status.ACCEPTED);
  const categories = [ReturnReasonCategory.OVERDUE_FILINGS, ReturnReasonCategory.WEAK_FINANCIAL_POSITION];
  const returns = categories.flatMap((reasonCategory, index) => {
    const { submissionId } = accepted[index] ?? {};
    return submissionId === undefined ? [] : [{ submissionId, reasonCategory }];
  });
  if (returns.length > 0)
    await progress.once('returns', () => staff.submission.returnSubmissions({ returns }));
}

/** Stores a stricter version of each active policy, and tries the decision policy on what was decided. */
async function storePolicies({ progress, staff: [staff] }: ActTask): Promise<void> {
  const store = async (
    kind: PolicyKind,
    version: string,
    note: string,
    add: (rules: object[]) => object[],
  ) => {
    const { text } = await staff.policies.getPolicy({ kind });
    const active = JSON.parse(text) as { readonly rules: object[] };
    const stored = JSON.stringify({ ...active, version, rules: add(active.rules) }, undefined, 2);
    await staff.policies.storePolicy({ kind, text: stored, note });
  };
  await progress.once('decision policy', async () => {
    const add = (rules: object[]) => [...rules.slice(0, 1), NEW_RULE, ...rules.slice(1)];
    await store(PolicyKind.DECISION, DECISION_VERSION, 'Rejects young hospitality businesses', add);
    const purpose = 'effect on the suppliers of this month';
    for await (const _ of staff.policies.dryRunPolicy({ version: DECISION_VERSION, last: 500, purpose }));
  });
  await progress.once('pre-underwriting policy', () =>
    store(PolicyKind.PRE_UNDERWRITING, '2026-12-15', 'Checks large amounts of young businesses', (rules) => [
      ...rules,
      NEW_CHECK,
    ]),
  );
}
const DECISION_VERSION = '2026-12-01';

/** A lower cap, from a day that a later run computes again. */
async function scheduleTerms({ progress, staff: [staff] }: ActTask): Promise<void> {
  const accountId = progress.accounts.lantern?.accountId ?? '';
  await progress.once('scheduled terms', async () => {
    const { terms } = await staff.account.getAccount({ accountId });
    await staff.account.scheduleTerms({
      accountId,
      ...(terms?.thresholds && { thresholds: terms.thresholds }),
      caps: { acceptedPerDay: 50, acceptedPerMonth: 800 },
      effectiveFrom: timestampFromDate(new Date(progress.at.getTime() + LATER_MS)),
      purpose: 'smaller budget from next quarter',
    });
  });
}

async function handleDataRequests({ progress, staff: [, staff], submissions }: ActTask): Promise<void> {
  const [erased] = submissions.quill.filter(({ status }) => status === Status.REJECTED);
  const [held] = submissions.harbour.filter(({ status }) => status === Status.REJECTED);
  if (erased)
    await progress.once('erasure', () =>
      staff.privacy.requestErasure({ submissionIds: [erased.submissionId], purpose: 'DSR-2041' }),
    );
  if (held)
    await progress.once('hold', () =>
      staff.privacy.holdSubmissions({ submissionIds: [held.submissionId], purpose: 'complaint C-118' }),
    );
}

/** Requests four approvals, of which one is given and one is refused. */
async function requestApprovals({ progress, staff: [staff, other], submissions }: ActTask): Promise<void> {
  const account = (supplier: SupplierKey) => progress.accounts[supplier]?.accountId ?? '';
  await progress.once('approval of caps', async () => {
    const { accountId, revision, state, permittedScopes, terms, limits } = await staff.account.getAccount({
      accountId: account('marrow'),
    });
    if (!terms) throw new Error('invariant violated: an account has terms');
    const raised = { ...terms, caps: create(CapsSchema, { acceptedPerDay: 60, acceptedPerMonth: 400 }) };
    const request = { accountId, revision, state, permittedScopes, terms: raised, ...(limits && { limits }) };
    await staff.accountApprovals.requestApproval({
      action: 'UpdateAccount',
      argumentsJson: json(UpdateAccountRequestSchema, request),
      purpose: 'campaign in December',
    });
  });
  await progress.once('approval of a policy', () =>
    staff.submissionApprovals.requestApproval({
      action: 'ActivatePolicy',
      argumentsJson: json(ActivatePolicyRequestSchema, {
        kind: PolicyKind.DECISION,
        version: DECISION_VERSION,
        purpose: 'agreed by the credit committee',
      }),
      purpose: 'agreed by the credit committee',
    }),
  );
  await progress.once('refused approval', async () => {
    const argumentsJson = json(IssueCredentialRequestSchema, {
      ...{ accountId: account('quill'), environment: Environment.PRODUCTION, scopes: [Scope.READ] },
    });
    const purpose = 'reporting tool of the supplier';
    const { approvalId } = await staff.accountApprovals.requestApproval({
      ...{ action: 'IssueCredential', argumentsJson, purpose },
    });
    await other.accountApprovals.refuseRequest({
      approvalId,
      reason: 'The sandbox is enough for their test.',
    });
  });
  const [subject] = submissions.lantern.filter(({ status }) => status === Status.REJECTED);
  if (!subject) return;
  await progress.once('given approval', async () => {
    const argumentsJson = json(RequestErasureRequestSchema, {
      ...{ submissionIds: [subject.submissionId], purpose: 'DSR-2056' },
    });
    const { approvalId } = await staff.submissionApprovals.requestApproval({
      ...{ action: 'RequestErasure', argumentsJson, purpose: 'DSR-2056' },
    });
    await other.submissionApprovals.approveRequest({ approvalId });
  });
}

const json = <T extends DescMessage>(schema: T, init: MessageInitShape<T>) =>
  toJsonString(schema, create(schema, init));
