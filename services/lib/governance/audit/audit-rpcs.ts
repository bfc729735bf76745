import type { ConnectRouter } from '@connectrpc/connect';
import {
  AuditService,
  type ExportAuditRequest,
  ListAuditRequestSchema,
} from '@supplier/proto/audit/v1/audit';
import type { Pool } from 'pg';
import { requestedPage } from '../../rpc/page-token/index.ts';
import { invalid, requestedId } from '../../rpc/refusal/index.ts';
import type { RpcHandlers } from '../../rpc/rpc-server/index.ts';
import { toDate, toTimestamp } from '../../text/time/index.ts';
import {
  type EntryPlace,
  newestEntries,
  positionBefore,
  type SealedEntry,
  sealedEntries,
} from './read-entries.ts';

const EXPORT_BATCH = 500;
/** The maximum per call; a caller that wants more continues from the last position. */
const MAX_EXPORTED = 100_000;

/** What a service knows of an entry outside the log. Reasons are erased with an applicant. */
export interface BesideEntry {
  readonly reason?: string;
  readonly targetReference?: string;
}

/** Returns what the service knows of entries, by their number. */
export type BesideEntries = (
  entries: readonly Pick<SealedEntry, 'sequence' | 'action' | 'target'>[],
) => Promise<ReadonlyMap<string, BesideEntry>>;

const NOTHING: BesideEntries = async () => new Map();

/** Serves both RPCs over the database of a service. */
export function auditRoutes(pool: Pool, beside = NOTHING): (router: ConnectRouter) => void {
  return (router) => {
    router.service(AuditService, auditRpcs(pool, beside));
  };
}

/** Returns both RPCs. They throw VALIDATION_ERROR for a request that violates the contract. */
function auditRpcs(pool: Pool, beside: BesideEntries): RpcHandlers<typeof AuditService> {
  const messages = async (rows: readonly SealedEntry[]) => {
    const known = await beside(rows);
    return rows.map((row) => ({ ...message(row), ...known.get(row.sequence) }));
  };
  return {
    async listAudit(request) {
      const page = requestedPage(ListAuditRequestSchema, request, parsePlace);
      const filter = {
        since: request.since && toDate(request.since),
        until: request.until && toDate(request.until),
        actor: request.actor || undefined,
        action: request.action || undefined,
        actions: request.actions.length > 0 ? request.actions : undefined,
        accountId: request.accountId === '' ? undefined : requestedId('account_id', request.accountId),
        target: request.target || undefined,
        requestId: request.requestId || undefined,
      };
      // Reads one row more than requested to detect another page.
      const rows = await newestEntries(pool, filter, page.after, page.size + 1);
      const entries = rows.slice(0, page.size);
      const last = rows.length > page.size ? entries.at(-1) : undefined;
      return { entries: await messages(entries), nextPageToken: page.tokenAfter(last && placeText(last)) };
    },

    async *exportAudit(request, { signal }) {
      let after = await exportStart(pool, request);
      for (let count = 0; count < MAX_EXPORTED && !signal.aborted; count += EXPORT_BATCH) {
        const rows = await sealedEntries(pool, after, EXPORT_BATCH);
        yield* await messages(rows);
        const last = rows.at(-1);
        if (!last || rows.length < EXPORT_BATCH) return;
        after = BigInt(last.position ?? 0);
      }
    },
  };
}

async function exportStart(pool: Pool, { since, afterPosition }: ExportAuditRequest): Promise<bigint> {
  if (afterPosition < 0n) throw invalid('after_position', 'must not be negative');
  if (!since) return afterPosition;
  if (afterPosition > 0n) throw invalid('since', 'must be absent if after_position is set');
  return positionBefore(pool, toDate(since));
}

const placeText = ({ at, sequence }: SealedEntry) => `${at.getTime()}.${sequence}`;

function parsePlace(text: string): EntryPlace | undefined {
  const [, at, sequence] = /^(\d{1,15})\.(\d{1,18})$/.exec(text) ?? [];
  return at && sequence ? { at: new Date(Number(at)), sequence: BigInt(sequence) } : undefined;
}

function message(row: SealedEntry) {
  const { position, hash, sealed_at, account_id, before, after, request_id, at, sequence, roles, ...same } =
    row;
  return {
    ...same,
    sequence: BigInt(sequence),
    at: toTimestamp(at),
    roles: [...roles],
    accountId: account_id ?? '',
    beforeJson: before ?? '',
    afterJson: after ?? '',
    requestId: request_id,
    ...(position !== null && { position: BigInt(position) }),
    ...(hash !== null && { hash }),
    ...(sealed_at !== null && { sealedAt: toTimestamp(sealed_at) }),
  };
}
