import type { HandlerContext } from '@connectrpc/connect';
import type { AccountId } from '@supplier/lib/ids';
import { requestedId } from '@supplier/lib/refusal';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { Context } from '../context.ts';
import { type AuditEntry, appendAudit } from '../db/audit.ts';
import { inTransaction, type Transaction } from '../db/database.ts';
import { type EndpointRecord, findEndpoint } from '../db/endpoints.ts';
import { lockActivity } from '../db/locks.ts';
import { auditEntry } from '../requests/audit-entry.ts';
import { requestedEnvironment } from '../requests/environment.ts';
import { noEndpoint } from '../requests/refusals.ts';

/** What a change came to, and what the audit log tells of it besides which endpoint it was. */
export interface EndpointChange {
  readonly endpoint: EndpointRecord;
  readonly details: AuditEntry['details'];
}

/**
 * Changes the endpoint of a request with its line in the audit log, in one transaction, one change after the other:
 * `change` gets the endpoint as the change before left it, and the time, read when nobody else can change or record
 * anything. When it answers undefined nothing was to be changed, and nothing is told. Throws NOT_FOUND without endpoint.
 */
export async function changeEndpoint(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  request: { readonly accountId: string; readonly environment: Environment },
  call: HandlerContext,
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
      auditEntry(call, now, accountId, { endpointId: before.endpointId, environment, ...changed.details }),
    );
    return changed.endpoint;
  });
}
