import type { EndpointId } from '@supplier/lib/ids';
import type { Transaction } from './database.ts';
import { ENDPOINT_PARTS, type EndpointRecord, endpointFromRow } from './endpoint-rows.ts';

/** What of an endpoint may change; a secret never without its fingerprint. */
export type EndpointChanges =
  | { readonly url: string }
  | { readonly enabled: boolean }
  | { readonly sealedSecret: Uint8Array<ArrayBuffer>; readonly keyFingerprint: string };

/** Changes the endpoint and answers with it as it is then. What is claimed after the commit is sent by the change. */
export async function updateEndpoint(
  tx: Transaction,
  endpointId: EndpointId,
  changes: EndpointChanges,
): Promise<EndpointRecord> {
  return endpointFromRow(
    await tx.endpoint.update({ where: { id: endpointId }, data: changes, ...ENDPOINT_PARTS }),
  );
}
