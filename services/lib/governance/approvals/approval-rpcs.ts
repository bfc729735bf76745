import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type ApprovalSchema,
  type ApprovalService,
  ApprovalState,
  ListApprovalsRequestSchema,
} from '@supplier/proto/approval/v1/approval';
import type { PoolClient } from 'pg';
import type { SqlSession } from '../../data/postgres/index.ts';
import { inTransaction } from '../../data/postgres/index.ts';
import { requestedPage } from '../../rpc/page-token/index.ts';
import { invalid, RefusalCode, refuse } from '../../rpc/refusal/index.ts';
import type { callerOf, RpcCall, RpcHandlers } from '../../rpc/rpc-server/index.ts';
import { newId, parseId } from '../../text/ids/index.ts';
import { toTimestamp } from '../../text/time/index.ts';
import { appendAudit, auditEntry } from '../audit/index.ts';
import { type ApprovableAction, type ApprovalsOptions, requireRole } from './approvable-action.ts';
import {
  type ApprovalPlace,
  decideApproval,
  findApproval,
  insertApproval,
  isRequester,
  linesOf,
  listApprovals,
  lockApproval,
  type StoredApproval,
  stateOf,
} from './stored-approval.ts';

/** Long enough to approve an act in the evening and do it the next morning. */
const EXPIRES_AFTER_MS = 24 * 3_600_000;

/** Returns the RPCs that request and give approvals, the same in every service with acts that require approval. */
export function approvalRpcs<Session extends SqlSession>(
  { pool, transact, clock, fourEyes }: ApprovalsOptions<Session>,
  actions: readonly ApprovableAction<Session>[],
): RpcHandlers<typeof ApprovalService> {
  const actOf = (action: string) => actions.find((approvable) => approvable.action === action);
  const requestedAct = (action: string) => {
    const approvable = actOf(action);
    if (approvable) return approvable;
    throw invalid('action', `must be one of ${actions.map((known) => known.action).join(', ')}`);
  };

  return {
    async checkApproval({ action, argumentsJson }, call) {
      const approvable = requestedAct(action);
      requireRole(approvable, call);
      const request = approvable.requestOf(argumentsJson);
      const { reasons } = await transact((tx) => approvable.asked(tx, request, clock.now()));
      return { reasons: [...reasons], enforced: fourEyes === 'required' && reasons.length > 0 };
    },

    async requestApproval({ action, argumentsJson, purpose }, call) {
      const approvable = requestedAct(action);
      const { subject, issuer } = requireRole(approvable, call);
      const request = approvable.requestOf(argumentsJson);
      const at = clock.now();
      const stored = await transact(async (tx) => {
        const asked = await approvable.asked(tx, request, at);
        if (asked.reasons.length === 0) throw invalid('arguments_json', 'does not require approval');
        const row = await insertApproval(tx, {
          ...{ ...asked, id: newId(), action, purpose },
          ...{ requested_by: subject, requested_issuer: issuer, requested_at: at },
          expires_at: new Date(at.getTime() + EXPIRES_AFTER_MS),
        });
        const { target, sha256, arguments: json } = asked;
        const after = { action, target, arguments: JSON.parse(json), sha256 };
        await appendAudit(tx, auditEntry(call, { at, target: row.id, after, purpose }));
        return row;
      });
      return message(stored, at);
    },

    approveRequest: ({ approvalId }, call) => decide(approvalId, undefined, call),
    refuseRequest: ({ approvalId, reason }, call) => decide(approvalId, reason, call),

    async getApproval({ approvalId }) {
      const id = parseId(approvalId);
      const row = id && (await findApproval(pool, id));
      if (!row) throw noSuchApproval();
      return message(row, clock.now());
    },

    async listApprovals(request) {
      const page = requestedPage(ListApprovalsRequestSchema, request, parsePlace);
      const now = clock.now();
      // Reads one row more than requested to detect another page.
      const rows = await listApprovals(pool, {
        now,
        state: requestedState(request.state),
        after: page.after,
        limit: page.size + 1,
      });
      const last = rows.length > page.size ? rows[page.size - 1] : undefined;
      return {
        approvals: rows.slice(0, page.size).map((row) => message(row, now)),
        nextPageToken: page.tokenAfter(last && `${Number(last.waits)}.${last.sequence}`),
      };
    },
  };

  async function decide(approvalId: string, refusal: string | undefined, call: RpcCall) {
    const id = parseId(approvalId);
    const at = clock.now();
    const row = await inTransaction(pool, async (tx) => {
      const found = id && (await lockApproval(tx, id));
      if (!found) throw noSuchApproval();
      return decideLocked(tx, found, { refusal, at, call });
    });
    return message(row, at);
  }

  async function decideLocked(
    tx: PoolClient,
    row: StoredApproval,
    { refusal, at, call }: { refusal: string | undefined; at: Date; call: RpcCall },
  ): Promise<StoredApproval> {
    const approvable = actOf(row.action);
    if (!approvable) throw refuse(RefusalCode.WRONG_STATE, 'This release does not support the action.');
    const by = requireRole(approvable, call);
    if (refusal === undefined && isRequester(row, by))
      throw refuse(RefusalCode.FORBIDDEN, 'Someone other than the requester must approve it.');
    if (isRepeated(row, refusal, by)) return row;
    if (stateOf(row, at) !== ApprovalState.WAITING)
      throw refuse(
        RefusalCode.WRONG_STATE,
        'This request is no longer pending. ListApprovals shows its state.',
      );
    const decided = await decideApproval(tx, row.id, { by, at, refusal });
    const { action, target, requested_by: requestedBy, requested_issuer: requestedIssuer, sha256 } = row;
    const after = { action, target, requestedBy, requestedIssuer, sha256 };
    const entry = { at, target: row.id, after, ...(refusal === undefined ? {} : { purpose: refusal }) };
    await appendAudit(tx, auditEntry(call, entry));
    return decided;
  }
}

const noSuchApproval = () => refuse(RefusalCode.NOT_FOUND, 'There is no such approval.');

/** Returns whether the same person repeats the same decision. */
function isRepeated(
  row: StoredApproval,
  refusal: string | undefined,
  by: ReturnType<typeof callerOf>,
): boolean {
  const isSame = row.decided_by === by.subject && row.decided_issuer === by.issuer;
  return row.decided_at !== null && isSame && (row.refusal_reason !== null) === (refusal !== undefined);
}

function requestedState(state: ApprovalState): ApprovalState {
  if (ApprovalState[state] === undefined) throw invalid('state', 'must be an approval state');
  return state;
}

function parsePlace(text: string): ApprovalPlace | undefined {
  const [, waits, sequence] = /^([01])\.(\d{1,18})$/.exec(text) ?? [];
  return waits && sequence ? { waits: waits === '1', sequence: BigInt(sequence) } : undefined;
}

function message(row: StoredApproval, now: Date): MessageInitShape<typeof ApprovalSchema> {
  return {
    approvalId: row.id,
    action: row.action,
    target: row.target,
    argumentsJson: row.arguments,
    reasons: [...row.reasons],
    lines: [...linesOf(row)],
    sha256: row.sha256,
    purpose: row.purpose,
    state: stateOf(row, now),
    requestedBy: row.requested_by,
    requestedIssuer: row.requested_issuer,
    requestedAt: toTimestamp(row.requested_at),
    expiresAt: toTimestamp(row.expires_at),
    decidedBy: row.decided_by ?? '',
    decidedIssuer: row.decided_issuer ?? '',
    refusalReason: row.refusal_reason ?? '',
    ...(row.decided_at && { decidedAt: toTimestamp(row.decided_at) }),
    ...(row.used_at && { usedAt: toTimestamp(row.used_at) }),
  };
}
