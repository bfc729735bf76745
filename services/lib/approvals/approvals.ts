import type { ConnectRouter } from '@connectrpc/connect';
import { ApprovalService } from '@supplier/proto/approval/v1/approval';
import type { Pool } from 'pg';
import { z } from 'zod';
import { parseId } from '../ids/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { callerOf, type RpcCall } from '../rpc-server/index.ts';
import type { Clock } from '../time/index.ts';
import type { Approvable, ApprovableAct } from './approvable-act.ts';
import { approvalRpcs } from './approval-rpcs.ts';
import {
  type ApprovalSession,
  isRequester,
  lockApproval,
  markUsed,
  type StoredApproval,
  stateOf,
} from './stored-approval.ts';

/** Whether acts that two people take part in are refused without an approval. */
export type FourEyes = 'required' | 'off';

/** The setting SSS_FOUR_EYES. */
export const fourEyes = () => z.enum(['required', 'off'], 'is neither required nor off').default('required');

export interface ApprovalsOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly fourEyes: FourEyes;
  /** Every act of the service that takes two people. */
  readonly acts: readonly ApprovableAct[];
}

/** The approvals of a service. */
export interface Approvals {
  /**
   * Uses up the approval that a request names, in the transaction of its act, and resolves to its id, for the entry of
   * the act in the audit log. Without one it resolves to undefined, or throws WRONG_STATE where the act takes two people
   * and SSS_FOUR_EYES is required. An approval that is named is always held against the act: WRONG_STATE for one that was
   * not given, has been used, has expired or is for something else, FORBIDDEN for somebody else's, NOT_FOUND.
   */
  take(
    session: ApprovalSession,
    act: ApprovableAct,
    request: Approvable,
    call: Pick<RpcCall, 'values'>,
  ): Promise<string | undefined>;
  /** Serves ApprovalService. */
  readonly routes: (router: ConnectRouter) => void;
}

/** The approvals of a service over its database. */
export function openApprovals(options: ApprovalsOptions): Approvals {
  const { clock } = options;
  const rpcs = approvalRpcs(options);
  return {
    async take(session, act, request, call) {
      const asked = act.askedBy(request);
      if (request.approvalId === '') {
        if (options.fourEyes === 'required' && asked.takesTwo) throw takesTwoPeople();
        return undefined;
      }
      const id = parseId(request.approvalId);
      const row = id && (await lockApproval(session, id));
      if (!id || !row) throw refuse(RefusalCode.NOT_FOUND, 'There is no such approval.');
      if (!isRequester(row, callerOf(call)))
        throw refuse(RefusalCode.FORBIDDEN, 'The approval is for whoever asked for it, and for nobody else.');
      const now = clock.now();
      refuseUnlessApproved(row, now);
      if (row.action !== act.action || row.arguments !== asked.arguments) throw isForAnother();
      await markUsed(session, id, now);
      return id;
    },
    routes(router) {
      router.service(ApprovalService, rpcs);
    },
  };
}

function takesTwoPeople() {
  return refuse(
    RefusalCode.WRONG_STATE,
    'This takes two people: ask for an approval with RequestApproval, have somebody else give it, and repeat this with its approval_id.',
  );
}

function isForAnother() {
  return refuse(
    RefusalCode.WRONG_STATE,
    'The approval is for something else: every argument must be as it was approved.',
  );
}

function refuseUnlessApproved(row: StoredApproval, now: Date): void {
  const state = stateOf(row, now);
  switch (state) {
    case 'approved':
      return;
    case 'waiting':
      throw refuse(RefusalCode.WRONG_STATE, 'The approval has not been given yet.');
    case 'refused':
      throw refuse(RefusalCode.WRONG_STATE, 'The approval was refused.');
    case 'used':
      throw refuse(RefusalCode.WRONG_STATE, 'The approval has been used: ask for another one.');
    case 'expired':
      throw refuse(RefusalCode.WRONG_STATE, 'The approval has expired: ask for another one.');
  }
}
