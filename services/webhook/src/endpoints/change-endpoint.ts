import { appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { RpcCall } from '@supplier/lib/rpc/rpc-server';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { noEndpoint } from '../refusals.ts';
import { requestedEnvironment } from '../requested-environment.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import { type EndpointRecord, findEndpoint } from '../store/endpoints.ts';
import { lockActivity } from '../store/locks.sql.ts';

/** The endpoint after a change, and the old and new values for the audit log; never a secret. */
export interface EndpointChange {
  readonly endpoint: EndpointRecord;
  readonly before: object;
  readonly after: object;
}

/**
 * Changes the endpoint of a request and appends to the audit log, in one transaction; changes are serialized. `change`
 * gets the endpoint as the previous change left it, and the time, read under the lock on activity. When it returns
 * undefined, nothing had to change and nothing is appended. Throws NOT_FOUND without an endpoint.
 */
export async function changeEndpoint(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  request: { readonly accountId: string; readonly environment: Environment },
  call: RpcCall,
  change: (tx: Transaction, endpoint: EndpointRecord, now: Date) => Promise<EndpointChange | undefined>,
): Promise<EndpointRecord> {
  const accountId = requestedId<AccountId>('account_id', request.accountId);
  const environment = requestedEnvironment(request.environment);
  return inTransaction(db, async (tx) => {
    await lockActivity(tx, accountId, environment);
    const before = await findEndpoint(tx, accountId, environment);
    if (!before) throw noEndpoint();
    const now = clock.now();
    const changed = await change(tx, before, now);
    if (!changed) return before;
    await appendAudit(
      tx,
      auditEntry(call, {
        at: now,
        target: before.endpointId,
        accountId,
        before: changed.before,
        after: { endpointId: before.endpointId, environment, ...changed.after },
      }),
    );
    return changed.endpoint;
  });
}
