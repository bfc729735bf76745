import { create, type DescMessage, type MessageInitShape, toJsonString } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { IssueCredentialRequestSchema, UpdateAccountRequestSchema } from '@supplier/proto/account/v1/account';
import { CapsSchema, Scope } from '@supplier/proto/common/v1/principal';
import { Environment, ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { RequestErasureRequestSchema } from '@supplier/proto/submission/v1/erasures';
import type { ListedSubmission } from '@supplier/proto/submission/v1/list_submissions';
import { PolicyKind } from '@supplier/proto/submission/v1/policies';
import type { BatchResults } from '@supplier/proto/submission/v1/staff_batches';
import { REPEATED } from './enquiries.ts';
import type { Progress } from './progress.ts';
import type { SupplierName } from './sample-suppliers.ts';
import type { Staff } from './staff.ts';

/** The share of submissions awaiting a decision that keep waiting. */
const LEFT_WAITING = 0.35;
const DUPLICATE = 'the customer has sent an earlier enquiry';
const TERMS_BEGIN_MS = 20 * 86_400_000;
const RETURN_REASONS = [ReturnReasonCategory.OVERDUE_FILINGS, ReturnReasonCategory.WEAK_FINANCIAL_POSITION];
const VERSION = '2026-12-01';
const NEW_RULE = {
  rule: 'young-hospitality',
  when: 'enquiry.business_sector == BusinessSector.BUSINESS_SECTOR_HOSPITALITY && enquiry.trading_duration == TradingDuration.TRADING_DURATION_LESS_THAN_1',
  outcome: 'rejected',
  reason: 'Hospitality businesses must have traded for a year.',
};

export interface StaffTask {
  readonly progress: Progress;
  /** Two administrators, so that one can decide on the other's requests. */
  readonly staff: readonly [Staff, Staff];
  /** The submissions of each supplier, by reference. */
  readonly submissions: Readonly<Record<SupplierName, readonly ListedSubmission[]>>;
}

/** Does what staff would have done by now: decisions, returns, a policy, terms, data requests and approvals. */
export async function actAsStaff(task: StaffTask): Promise<void> {
  await decideSome(task);
  await returnSome(task);
  await storePolicy(task);
  await scheduleTerms(task);
  await handleDataRequests(task);
  await requestApprovals(task);
}

async function decideSome({ progress, staff: [staff], submissions }: StaffTask): Promise<void> {
  const waiting = submissions.copper.filter(({ status }) => status === Status.RECEIVED);
  const decisions = waiting
    .slice(Math.ceil(waiting.length * LEFT_WAITING))
    .map(({ submissionId, externalReference }, index) => ({
      submissionId,
      ...(externalReference.endsWith(REPEATED)
        ? { decision: Status.DUPLICATE_NOT_ACCEPTED, reason: DUPLICATE }
        : index % 4 === 3
          ? { decision: Status.REJECTED, reason: 'accounts overdue at Companies House' }
          : { decision: Status.ACCEPTED, reason: 'trading record and bank statements seen' }),
    }));
  if (decisions.length === 0) return;
  await progress.once('decisions', async () => {
    const { results } = await staff.submission.decideSubmissions({ decisions });
    // The customer of a refused one was accepted before, if the stack has other submissions.
    const duplicates = results
      .filter(({ outcome }) => outcome.case === 'refused')
      .map(({ submissionId }) => ({
        submissionId,
        decision: Status.DUPLICATE_NOT_ACCEPTED,
        reason: DUPLICATE,
      }));
    if (duplicates.length > 0)
      requireDone('decisions', await staff.submission.decideSubmissions({ decisions: duplicates }));
  });
}

async function returnSome({ progress, staff: [staff], submissions }: StaffTask): Promise<void> {
  const accepted = submissions.harbour.filter(({ status }) => status === Status.ACCEPTED);
  const returns = RETURN_REASONS.flatMap((reasonCategory, index) => {
    const { submissionId } = accepted[index] ?? {};
    return submissionId === undefined ? [] : [{ submissionId, reasonCategory }];
  });
  if (returns.length === 0) return;
  await progress.once('returns', async () => {
    requireDone('returns', await staff.submission.returnSubmissions({ returns }));
  });
}

/** Throws with the reasons if the service refused some items of a batch. */
export function requireDone(what: string, { results }: Pick<BatchResults, 'results'>): void {
  const refused = results.flatMap(({ submissionId, outcome }) =>
    outcome.case === 'refused' ? [`${submissionId}: ${outcome.value.message}`] : [],
  );
  if (refused.length > 0)
    throw new Error(`${refused.length} of ${results.length} ${what} were refused:\n${refused.join('\n')}`);
}

/** Stores a stricter version of the decision policy, and tries it on past submissions. */
async function storePolicy({ progress, staff: [{ policies }] }: StaffTask): Promise<void> {
  await progress.once('decision policy', async () => {
    const { text: active } = await policies.getPolicy({ kind: PolicyKind.DECISION });
    const policy = JSON.parse(active) as { readonly rules: object[] };
    const rules = policy.rules.toSpliced(1, 0, NEW_RULE);
    const text = JSON.stringify({ ...policy, version: VERSION, rules }, undefined, 2);
    const note = 'Rejects young hospitality businesses';
    await policies.storePolicy({ kind: PolicyKind.DECISION, text, note });
  });
  await progress.once('dry run', async () => {
    const purpose = 'effect on the suppliers of this month';
    for await (const _ of policies.dryRunPolicy({ version: VERSION, last: 500, purpose }));
  });
}

async function scheduleTerms({ progress, staff: [staff] }: StaffTask): Promise<void> {
  const { accountId } = progress.accountOf('lantern');
  await progress.once('scheduled terms', async () => {
    const { terms } = await staff.account.getAccount({ accountId });
    await staff.account.scheduleTerms({
      accountId,
      ...(terms?.thresholds && { thresholds: terms.thresholds }),
      caps: { acceptedPerDay: 50, acceptedPerMonth: 800 },
      effectiveFrom: timestampFromDate(new Date(progress.at.getTime() + TERMS_BEGIN_MS)),
      purpose: 'smaller budget from next quarter',
    });
  });
}

async function handleDataRequests({ progress, staff: [, { privacy }], submissions }: StaffTask) {
  const [erased] = rejectedOf(submissions.quill);
  const [held] = rejectedOf(submissions.harbour);
  if (erased)
    await progress.once('erasure', () =>
      privacy.requestErasure({ submissionIds: [erased.submissionId], purpose: 'DSR-2041' }),
    );
  if (held)
    await progress.once('hold', () =>
      privacy.holdSubmissions({ submissionIds: [held.submissionId], purpose: 'complaint C-118' }),
    );
}

const rejectedOf = (submissions: readonly ListedSubmission[]) =>
  submissions.filter(({ status }) => status === Status.REJECTED);

/** Requests three approvals. One stays pending, one is refused and one is approved. */
async function requestApprovals({ progress, staff: [staff, other], submissions }: StaffTask): Promise<void> {
  await progress.once('approval of caps', async () => {
    const { accountId } = progress.accountOf('marrow');
    const { revision, state, permittedScopes, terms, limits } = await staff.account.getAccount({ accountId });
    if (!terms) throw new Error('invariant violated: an account has terms');
    const raised = { ...terms, caps: create(CapsSchema, { acceptedPerDay: 60, acceptedPerMonth: 400 }) };
    const update = { accountId, revision, state, permittedScopes, terms: raised, ...(limits && { limits }) };
    await request(staff.accountApprovals, UpdateAccountRequestSchema, update, 'campaign in December');
  });
  await progress.once('refused approval', async () => {
    const { accountId } = progress.accountOf('quill');
    const credential = { accountId, environment: Environment.PRODUCTION, scopes: [Scope.READ] };
    const purpose = 'reporting tool of the supplier';
    const approvals = staff.accountApprovals;
    const { approvalId } = await request(approvals, IssueCredentialRequestSchema, credential, purpose);
    const reason = 'The sandbox is enough for their test.';
    await other.accountApprovals.refuseRequest({ approvalId, reason });
  });
  const [subject] = rejectedOf(submissions.lantern);
  if (!subject) return;
  await progress.once('approved request', async () => {
    const erasure = { submissionIds: [subject.submissionId], purpose: 'DSR-2056' };
    const approvals = staff.submissionApprovals;
    const { approvalId } = await request(approvals, RequestErasureRequestSchema, erasure, erasure.purpose);
    await other.submissionApprovals.approveRequest({ approvalId });
  });
}

/** Requests approval of the RPC that takes a message. */
const request = <T extends DescMessage>(
  approvals: Staff['accountApprovals'],
  schema: T,
  message: MessageInitShape<T>,
  purpose: string,
) =>
  approvals.requestApproval({
    action: schema.name.replace(/Request$/, ''),
    argumentsJson: toJsonString(schema, create(schema, message)),
    purpose,
  });
