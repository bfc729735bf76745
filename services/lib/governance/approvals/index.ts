import type { ConnectRouter } from '@connectrpc/connect';
import { ApprovalService, ApprovalState } from '@supplier/proto/approval/v1/approval';
import type { SqlSession } from '../../data/postgres/index.ts';
import { RefusalCode, refuse } from '../../rpc/refusal/index.ts';
import { callerOf, type RpcCall } from '../../rpc/rpc-server/index.ts';
import { parseId } from '../../text/ids/index.ts';
import { differences } from './action-lines.ts';
import type { Approvable, ApprovableAction, ApprovalsOptions, RequestedAction } from './approvable-action.ts';
import { approvalRpcs } from './approval-rpcs.ts';
import {
  isRequester,
  linesOf,
  lockApproval,
  markUsed,
  type StoredApproval,
  stateOf,
} from './stored-approval.ts';

export { type ActionLine, factLines, type Spelled, spelled } from './action-lines.ts';
export {
  type Approvable,
  type ApprovableAction,
  type ApprovalsOptions,
  approvableAction,
  type Evaluate,
  type FourEyes,
  fourEyes,
} from './approvable-action.ts';

export interface Approvals<Session> {
  /**
   * Uses the approval that a request names, in the transaction of its act before anything changes, and resolves to its
   * id for the act's audit entry. Without an approval it resolves to undefined, or throws WRONG_STATE if the act
   * requires one and SSS_FOUR_EYES is required. A named approval is always compared with the act and the current facts.
   * Throws WRONG_STATE if it differs, was not given, was used or has expired; FORBIDDEN if another person requested it;
   * NOT_FOUND if it does not exist.
   */
  take(
    session: Session,
    approvable: ApprovableAction<Session>,
    request: Approvable,
    call: Pick<RpcCall, 'values'>,
  ): Promise<string | undefined>;
  /** Serves the RPCs that request and give approvals of these actions. */
  routes(router: ConnectRouter, actions: readonly ApprovableAction<Session>[]): void;
}

/** Opens the approvals of a service over its database. */
export function openApprovals<Session extends SqlSession>(
  options: ApprovalsOptions<Session>,
): Approvals<Session> {
  const { clock } = options;
  return {
    async take(session, approvable, request, call) {
      const now = clock.now();
      if (request.approvalId === '') {
        if (options.fourEyes === 'off') return undefined;
        const { reasons } = await approvable.asked(session, request, now);
        if (reasons.length > 0) throw takesTwoPeople(reasons);
        return undefined;
      }
      const id = parseId(request.approvalId);
      const row = id && (await lockApproval(session, id));
      if (!id || !row) throw refuse(RefusalCode.NOT_FOUND, 'There is no such approval.');
      if (!isRequester(row, callerOf(call)))
        throw refuse(RefusalCode.FORBIDDEN, 'Only the person who requested the approval can use it.');
      refuseUnlessApproved(row, now);
      refuseUnlessSame(row, approvable.action, await approvable.asked(session, request, now));
      await markUsed(session, id, now);
      return id;
    },
    routes(router, actions) {
      router.service(ApprovalService, approvalRpcs(options, actions));
    },
  };
}

function takesTwoPeople(reasons: readonly string[]) {
  return refuse(
    RefusalCode.WRONG_STATE,
    `This requires a second person's approval (${reasons.join(', ')}). Request it with RequestApproval, have someone else approve it, then repeat the call with its approval_id.`,
  );
}

/** Requires the act, and the facts that it was judged by, to be the approved ones. */
function refuseUnlessSame(row: StoredApproval, action: string, asked: RequestedAction): void {
  if (row.sha256 === asked.sha256 && row.action === action) return;
  const { done, upon } = differences(linesOf(row), asked.lines);
  const others = row.action === action ? done : [row.action];
  throw refuse(
    RefusalCode.WRONG_STATE,
    others.length > 0
      ? `The approval covers a different action (${others.join(', ')}). Repeat exactly what was approved, or request a new approval.`
      : `The facts have changed since it was requested (${upon.join(', ')}). Request a new approval.`,
  );
}

const UNUSABLE: Readonly<Record<Exclude<ApprovalState, ApprovalState.APPROVED>, string>> = {
  [ApprovalState.UNSPECIFIED]: 'This release does not know the state of the approval.',
  [ApprovalState.WAITING]: 'The request has not been approved yet.',
  [ApprovalState.REFUSED]: 'The approval was refused.',
  [ApprovalState.USED]: 'The approval has been used. Request a new one.',
  [ApprovalState.EXPIRED]: 'The approval has expired. Request a new one.',
};

function refuseUnlessApproved(row: StoredApproval, now: Date): void {
  const state = stateOf(row, now);
  if (state !== ApprovalState.APPROVED) throw refuse(RefusalCode.WRONG_STATE, UNUSABLE[state]);
}
