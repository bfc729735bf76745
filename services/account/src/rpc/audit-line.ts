import type { HandlerContext } from '@connectrpc/connect';
import type { AccountId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import { callerOf } from '@supplier/lib/rpc-server';
import type { AuditLine } from '../db/audit.ts';

/** The audit line of the call at hand: who called what, at `at`, and set `details` (JSON). */
export function auditLine(call: HandlerContext, accountId: AccountId, details: string, at: Date): AuditLine {
  return {
    at,
    actor: callerOf(call).subject,
    action: call.method.name,
    accountId,
    details,
    requestId: currentContext()?.requestId ?? '',
  };
}
