import type { AccountId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/environment.ts';
import type { Database, Transaction } from './database.ts';
import { ENDPOINT_PARTS, type EndpointRecord, endpointFromRow } from './endpoint-rows.ts';

/** The endpoint of an account and environment, if there is one. */
export async function findEndpoint(
  db: Database | Transaction,
  accountId: AccountId,
  environment: EnvironmentName,
): Promise<EndpointRecord | undefined> {
  const row = await db.endpoint.findUnique({
    where: { accountId_environment: { accountId, environment } },
    ...ENDPOINT_PARTS,
  });
  return row ? endpointFromRow(row) : undefined;
}
