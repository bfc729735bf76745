import type { AccountId, EndpointId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/environment.ts';
import type { Transaction } from './database.ts';
import { ENDPOINT_PARTS, type EndpointRecord, endpointFromRow } from './endpoint-rows.ts';

/** An endpoint that is to be created. */
export interface NewEndpoint {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly url: string;
  readonly sealedSecret: Uint8Array<ArrayBuffer>;
  readonly keyFingerprint: string;
  /** From here on it is active. To be read under the lock on activity, or a change just before may be lost. */
  readonly createdAt: Date;
}

/** Creates an endpoint, active from its creation on. The caller holds the lock and knows that there is none yet. */
export async function insertEndpoint(tx: Transaction, endpoint: NewEndpoint): Promise<EndpointRecord> {
  const { endpointId, ...rest } = endpoint;
  const activity = { create: { activeFrom: endpoint.createdAt } };
  return endpointFromRow(
    await tx.endpoint.create({
      data: { ...rest, id: endpointId, enabled: true, activity },
      ...ENDPOINT_PARTS,
    }),
  );
}
