import { create, type DescService, toJson } from '@bufbuild/protobuf';
import {
  AccountService,
  AccountState,
  IssueCredentialRequestSchema,
} from '@supplier/proto/account/v1/account';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment, ReturnReasonCategory, Status as StatusCode } from '@supplier/proto/common/v1/status';
import { ErasureState } from '@supplier/proto/submission/v1/erasures';
import { CloseReason } from '@supplier/proto/submission/v1/pending_billing';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import fc from 'fast-check';
import { newAccount } from '../harness/accounts.ts';
import { endpointOf } from '../harness/endpoints.ts';
import { rpcClient } from '../harness/rpc.ts';
import { token } from '../harness/tokens.ts';
import { NotYet, waitFor } from '../harness/wait.ts';
import { by, terms } from './of-suppliers.ts';
import { type Before, of, onSubmission, operation } from './operations.ts';
import { changedSupplier, type Outcome, type State, supplierAt } from './state.ts';
import { staffAnswer, termsOf } from './world.ts';

const DECISIONS = {
  accepted: StatusCode.ACCEPTED,
  rejected: StatusCode.REJECTED,
  duplicate_not_accepted: StatusCode.DUPLICATE_NOT_ACCEPTED,
};
const REASONS = {
  company_dissolved_or_insolvent: ReturnReasonCategory.COMPANY_DISSOLVED_OR_INSOLVENT,
  outstanding_ccjs: ReturnReasonCategory.OUTSTANDING_CCJS,
  adverse_credit_profile: ReturnReasonCategory.ADVERSE_CREDIT_PROFILE,
  weak_financial_position: ReturnReasonCategory.WEAK_FINANCIAL_POSITION,
  overdue_filings: ReturnReasonCategory.OVERDUE_FILINGS,
  pre_underwriting_criteria_not_met: ReturnReasonCategory.PRE_UNDERWRITING_CRITERIA_NOT_MET,
};
const reason = fc.constantFrom(...Object.entries(REASONS));

async function agreed(outcome: Outcome, call: Promise<unknown>): Promise<State> {
  expect(await staffAnswer(call)).toBe(outcome.answer);
  return outcome.state;
}

const idOf = ({ world }: Before, at: number): string => world.sent[at]!.id;

const decide = onSubmission(
  'decide',
  fc.record({
    of,
    decision: fc.constantFrom('accepted', 'accepted', 'rejected', 'duplicate_not_accepted'),
    acceptDuplicate: fc.boolean(),
  }),
  (before, at, { decision, acceptDuplicate }) =>
    agreed(
      before.rules.decideByStaff(before.state, at, decision, acceptDuplicate),
      before.world.staff.submission.decideSubmission({
        submissionId: idOf(before, at),
        decision: DECISIONS[decision],
        reason: 'decided by the model',
        acceptDuplicate,
      }),
    ),
);

const giveBack = onSubmission(
  'return',
  fc.record({ of, reason }),
  (before, at, { reason: [name, reasonCategory] }) =>
    agreed(
      before.rules.returnByStaff(before.state, at, name),
      before.world.staff.submission.returnSubmission({
        submissionId: idOf(before, at),
        reasonCategory,
      }),
    ),
);

const review = onSubmission(
  'complete the pre-underwriting',
  fc.record({ of, reason: fc.option(reason, { freq: 2 }) }),
  (before, at, chosen) =>
    agreed(
      before.rules.review(before.state, at, chosen.reason?.[0] ?? null),
      before.world.staff.submission.completePreUnderwriting({
        submissionId: idOf(before, at),
        ...(chosen.reason
          ? { outcome: PreUnderwritingState.NOT_CLEARED, returnReason: chosen.reason[1] }
          : { outcome: PreUnderwritingState.CLEARED }),
      }),
    ),
);

const closeBilling = onSubmission('close the billing', fc.record({ of }), (before, at) =>
  agreed(
    before.rules.closeBilling(before.state, at),
    before.world.staff.submission.closePendingBilling({
      submissionId: idOf(before, at),
      closeReason: CloseReason.OTHER,
    }),
  ),
);

const purpose = 'case 1';

const hold = onSubmission(
  'hold or release',
  fc.record({ of, isHeld: fc.boolean() }),
  (before, at, { isHeld }) => {
    const { privacy } = before.world.staff;
    const submissions = { submissionIds: [idOf(before, at)], purpose };
    const call = isHeld ? privacy.holdSubmissions(submissions) : privacy.releaseHold(submissions);
    return agreed(before.rules.hold(before.state, at, isHeld), call);
  },
);

const erase = onSubmission('erase', fc.record({ of }), (before, at) => {
  const { privacy } = before.world.staff;
  const erased = async () => {
    const { erasureId } = await privacy.requestErasure({ submissionIds: [idOf(before, at)], purpose });
    await waitFor('the erasure to be complete', async () => {
      const { state } = await privacy.getErasure({ erasureId });
      if (state !== ErasureState.COMPLETE) throw new NotYet(ErasureState[state]);
    });
  };
  return agreed(before.rules.erase(before.state, at), erased());
});

const testEvent = onSubmission('send a test event', fc.record({ of }), (before, at) =>
  agreed(
    before.rules.testEvent(before.state, at),
    before.world.staff.webhook.sendTestEvent({ submissionId: idOf(before, at) }),
  ),
);

const endpoint = operation(
  'enable or disable the endpoint',
  fc.record({ by }),
  async ({ state, world }, chosen) => {
    const { environment, listens } = supplierAt(state, chosen.by);
    const named = endpointOf(world.callers[chosen.by]!.api.accountId, environment);
    await (listens ? world.staff.webhook.disableEndpoint(named) : world.staff.webhook.enableEndpoint(named));
    return changedSupplier(state, chosen.by, { listens: !listens });
  },
);

/** Suspends a supplier, or ends that with other terms. Waits until the gateway has heard of it. */
const suspend = operation(
  'suspend, or resume with other terms',
  fc.record({ by, terms }),
  async ({ state, world }, chosen) => {
    const { isSuspended, terms: present } = supplierAt(state, chosen.by);
    const { api } = world.callers[chosen.by]!;
    const { accountId } = api;
    const { revision, permittedScopes, limits } = await world.staff.account.getAccount({ accountId });
    const next = { isSuspended: !isSuspended, terms: isSuspended ? chosen.terms : present };
    await world.staff.account.updateAccount({
      ...{ accountId, revision, permittedScopes, terms: termsOf(next.terms), ...(limits && { limits }) },
      state: next.isSuspended ? AccountState.SUSPENDED : AccountState.ACTIVE,
    });
    await waitFor('the gateway to apply it', async () => {
      const { status } = await api.readByReference('unknown');
      if (status !== (next.isSuspended ? 403 : 404)) throw new NotYet(String(status));
    });
    return changedSupplier(state, chosen.by, next);
  },
);

const ACTION = { environment: Environment.PRODUCTION, scopes: [Scope.READ] };
const as = <Service extends DescService>(service: Service, isRequester: boolean) => {
  const subject = isRequester ? 'ada' : 'bob';
  return rpcClient('account', service, token({ roles: ['staff:admin'], audience: 'account', subject }));
};

const requestApproval = operation('request an approval', fc.constant({}), async ({ rules, state, world }) => {
  // A separate account, because an approval ends when its account changes.
  const { accountId } = await newAccount();
  const request = create(IssueCredentialRequestSchema, { ...ACTION, accountId });
  const argumentsJson = JSON.stringify(toJson(IssueCredentialRequestSchema, request));
  const { approvalId } = await as(ApprovalService, true).requestApproval({
    action: 'IssueCredential',
    argumentsJson,
    purpose,
  });
  world.approvals.push({ approvalId, accountId });
  return rules.requestApproval(state).state;
});

const someApproval = ({ approvals }: State) => approvals.length > 0;

const decideApproval = operation(
  'approve or refuse',
  fc.record({ of, approves: fc.boolean(), isRequester: fc.boolean() }),
  ({ rules, state, world }, { of: chosen, approves, isRequester }) => {
    const place = chosen % state.approvals.length;
    const named = { approvalId: world.approvals[place]!.approvalId };
    const client = as(ApprovalService, isRequester);
    const call = approves
      ? client.approveRequest(named)
      : client.refuseRequest({ ...named, reason: 'not now' });
    return agreed(rules.decideApproval(state, place, approves, isRequester), call);
  },
  someApproval,
);

const useApproval = operation(
  'use an approval',
  fc.record({ of, isRequester: fc.boolean(), isAsRequested: fc.boolean() }),
  ({ rules, state, world }, { of: chosen, isRequester, isAsRequested }) => {
    const place = chosen % state.approvals.length;
    const scopes = isAsRequested ? ACTION.scopes : [Scope.READ, Scope.CORRECT];
    const request = { ...ACTION, scopes, ...world.approvals[place]! };
    const call = as(AccountService, isRequester).issueCredential(request);
    return agreed(rules.useApproval(state, place, isRequester, isAsRequested), call);
  },
  someApproval,
);

export const ofStaff = {
  ...{ decide, giveBack, review, closeBilling, hold, erase, testEvent, endpoint, suspend },
  ...{ requestApproval, decideApproval, useApproval },
};
