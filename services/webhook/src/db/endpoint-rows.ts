import type { AccountId, EndpointId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/environment.ts';
import type { EndpointModel } from './generated/models/Endpoint.ts';
import type { EndpointHealthModel } from './generated/models/EndpointHealth.ts';

/** An endpoint as staff may see it: without its secret. */
export interface EndpointRecord {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly url: string;
  readonly enabled: boolean;
  readonly keyFingerprint: string;
  readonly createdAt: Date;
  /** When the first of the attempts that failed since the last success ended; undefined when the last succeeded. */
  readonly failingSince: Date | undefined;
  readonly failedAttempts: bigint;
}

/** What an endpoint's record is read with. */
export const ENDPOINT_PARTS = { omit: { sealedSecret: true }, include: { health: true } } as const;

type EndpointRow = Omit<EndpointModel, 'sealedSecret'> & { readonly health: EndpointHealthModel | null };

export function endpointFromRow(row: EndpointRow): EndpointRecord {
  return {
    endpointId: row.id as EndpointId,
    accountId: row.accountId as AccountId,
    environment: row.environment,
    url: row.url,
    enabled: row.enabled,
    keyFingerprint: row.keyFingerprint,
    createdAt: row.createdAt,
    failingSince: row.health?.failingSince ?? undefined,
    failedAttempts: row.health?.failedAttempts ?? 0n,
  };
}
