import type { AccountId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/environment.ts';
import type { Database } from './database.ts';
import { type EndpointRecord, endpointFromRow } from './endpoint-rows.ts';

/** An endpoint with its sealed secret, read together: the fingerprint is that of this secret. */
export interface SigningKey {
  readonly endpoint: EndpointRecord;
  readonly sealedSecret: Uint8Array;
}

/** The endpoint of an account and environment with its secret, if there is one. */
export async function findSigningKey(
  db: Database,
  accountId: AccountId,
  environment: EnvironmentName,
): Promise<SigningKey | undefined> {
  const row = await db.endpoint.findUnique({
    where: { accountId_environment: { accountId, environment } },
    include: { health: true },
  });
  return row ? { endpoint: endpointFromRow(row), sealedSecret: row.sealedSecret } : undefined;
}
