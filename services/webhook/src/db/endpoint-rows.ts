import type { AccountId, EndpointId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/environment.ts';
import type { EndpointModel } from './generated/models/Endpoint.ts';

/** An endpoint as staff may see it: without its secret. */
export interface EndpointRecord {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly url: string;
  readonly enabled: boolean;
  readonly keyFingerprint: string;
  readonly createdAt: Date;
}

export function endpointFromRow(row: Omit<EndpointModel, 'sealedSecret'>): EndpointRecord {
  return {
    endpointId: row.id as EndpointId,
    accountId: row.accountId as AccountId,
    environment: row.environment,
    url: row.url,
    enabled: row.enabled,
    keyFingerprint: row.keyFingerprint,
    createdAt: row.createdAt,
  };
}
