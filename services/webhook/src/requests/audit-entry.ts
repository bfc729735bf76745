import type { AccountId } from '@supplier/lib/ids';
import { currentContext } from '@supplier/lib/request-context';
import { callerOf, type RpcCall } from '@supplier/lib/rpc-server';
import type { AuditEntry } from '../db/audit.ts';

/** The audit entry of a call that did something for an account at `at`: who called, which RPC, by which request. */
export function auditEntry(
  call: RpcCall,
  at: Date,
  accountId: AccountId,
  details: AuditEntry['details'],
): AuditEntry {
  return {
    at,
    actor: callerOf(call).subject,
    action: call.method.name,
    accountId,
    details,
    requestId: currentContext()?.requestId ?? '',
  };
}
