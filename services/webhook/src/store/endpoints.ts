import type { AccountId, EndpointId } from '@supplier/lib/text/ids';
import type { EnvironmentName } from '../model/event.ts';
import type { Database, Transaction } from './database.ts';
import type { EndpointModel } from './generated/models/Endpoint.ts';
import type { EndpointHealthModel } from './generated/models/EndpointHealth.ts';

/** An endpoint as shown to staff, without its secret. */
export interface EndpointRecord {
  readonly endpointId: EndpointId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly url: string;
  readonly enabled: boolean;
  readonly keyFingerprint: string;
  readonly createdAt: Date;
  /** When the first failed attempt since the last success ended; undefined when the last attempt succeeded. */
  readonly failingSince: Date | undefined;
  readonly failedAttempts: bigint;
}

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

/** An endpoint with its sealed secret, read together, so that the fingerprint matches the secret. */
export interface SigningKey {
  readonly endpoint: EndpointRecord;
  readonly sealedSecret: Uint8Array;
}

/** Returns the endpoint of an account and environment with its secret, if there is one. */
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

type NewEndpoint = Omit<EndpointRecord, 'enabled' | 'failingSince' | 'failedAttempts'> & {
  readonly sealedSecret: Uint8Array<ArrayBuffer>;
};

/**
 * Creates an endpoint, active from its creation. The caller has read `createdAt` under the lock on activity, or an
 * immediately preceding change may be lost, and has checked that there is none yet.
 */
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

/** The fields of an endpoint that may change; a secret only with its fingerprint. */
export type EndpointChanges =
  | { readonly url: string }
  | { readonly enabled: boolean }
  | { readonly sealedSecret: Uint8Array<ArrayBuffer>; readonly keyFingerprint: string };

/** Changes the endpoint and returns it. The change applies to attempts that are claimed after the commit. */
export async function updateEndpoint(
  tx: Transaction,
  endpointId: EndpointId,
  changes: EndpointChanges,
): Promise<EndpointRecord> {
  return endpointFromRow(
    await tx.endpoint.update({ where: { id: endpointId }, data: changes, ...ENDPOINT_PARTS }),
  );
}

/**
 * Makes the endpoint active from `now`. Intervals never touch: if the last one ends in the same millisecond, or later
 * by another machine's clock, the new one begins a millisecond after it, so that changes dropped in between are outside
 * both. The caller holds the lock on activity and has read `now` under it.
 */
export async function openActivity(tx: Transaction, endpointId: EndpointId, now: Date): Promise<void> {
  const last = await tx.endpointActivity.findFirst({
    where: { endpointId },
    orderBy: { activeFrom: 'desc' },
  });
  const earliest = (last?.activeUntil?.getTime() ?? 0) + 1;
  await tx.endpointActivity.create({
    data: { endpointId, activeFrom: new Date(Math.max(now.getTime(), earliest)) },
  });
}

/** Ends the endpoint's activity; `now` itself is outside the interval. The caller holds the lock, as above. */
export async function closeActivity(tx: Transaction, endpointId: EndpointId, now: Date): Promise<void> {
  const open = await tx.endpointActivity.findFirst({ where: { endpointId, activeUntil: null } });
  if (!open) return;
  const { activeFrom } = open;
  await tx.endpointActivity.update({
    where: { endpointId_activeFrom: { endpointId, activeFrom } },
    data: { activeUntil: new Date(Math.max(now.getTime(), activeFrom.getTime())) },
  });
}

/** The query options for an endpoint's record. */
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
