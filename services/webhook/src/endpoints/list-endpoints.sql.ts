// SQL, because Prisma can't count up to a limit for each endpoint of a page.
import type { AccountId, EndpointId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { Context } from '../context.ts';
import type { EnvironmentName } from '../model/event.ts';
import { ENDPOINT_PARTS, type EndpointRecord, endpointFromRow } from '../store/endpoints.ts';

/** Maximum number of endpoints read for one page, matching or not. */
const MAX_READ = 5_000;
/** Maximum count of waiting events of an endpoint, so that counting a backlog does not make it worse. */
const MAX_WAITING = 100;

/** Endpoint filters; an undefined or false filter matches everything. */
export interface EndpointFilter {
  readonly accountId: AccountId | undefined;
  readonly environment: EnvironmentName | undefined;
  readonly failing: boolean;
  readonly disabled: boolean;
}

export interface ListedEndpoint {
  readonly endpoint: EndpointRecord;
  /** Events awaiting an attempt, up to 100. */
  readonly waiting: number;
  /** When the oldest of those was recorded. */
  readonly oldestWaitingSince: Date | undefined;
}

/**
 * Returns matching endpoints, latest created first: up to `limit` after `after`, and the position after which the next
 * page begins; undefined on the last page.
 */
export async function listEndpoints(
  { db, pool }: Pick<Context, 'db' | 'pool'>,
  { accountId, environment, failing, disabled }: EndpointFilter,
  after: EndpointId | undefined,
  limit: number,
): Promise<{ endpoints: ListedEndpoint[]; next: EndpointId | undefined }> {
  const within = { ...(accountId && { accountId }), ...(after && { id: { lt: after } }) };
  const orderBy = { id: 'desc' } as const;
  const lastRead = await db.endpoint.findFirst({
    where: within,
    orderBy,
    skip: MAX_READ - 1,
    select: { id: true },
  });
  const rows = await db.endpoint.findMany({
    where: {
      AND: [within, lastRead ? { id: { gte: lastRead.id } } : {}],
      ...(environment && { environment }),
      ...(disabled && { enabled: false }),
      ...(failing && { health: { failingSince: { not: null } } }),
    },
    orderBy,
    take: limit + 1,
    ...ENDPOINT_PARTS,
  });
  const page = rows.slice(0, limit).map(endpointFromRow);
  const waiting = await countWaiting(
    pool,
    page.map(({ endpointId }) => endpointId),
  );
  const last = rows.length > limit ? page.at(-1)?.endpointId : lastRead?.id;
  return {
    endpoints: page.map((endpoint) => ({ endpoint, ...(waiting.get(endpoint.endpointId) ?? NOTHING_WAITS) })),
    next: last as EndpointId | undefined,
  };
}

type Waiting = Omit<ListedEndpoint, 'endpoint'>;

const NOTHING_WAITS: Waiting = { waiting: 0, oldestWaitingSince: undefined };

async function countWaiting(pool: Pool, ids: readonly EndpointId[]): Promise<Map<EndpointId, Waiting>> {
  const { rows } = await pool.query<{ id: EndpointId; waiting: number; oldest: Date | null }>({
    text: `SELECT p.id, q.waiting, q.oldest FROM unnest($1::uuid[]) AS p(id)
            CROSS JOIN LATERAL (
              SELECT count(*)::int AS waiting, min(w.recorded_at) AS oldest
                FROM (SELECT v.recorded_at FROM event v WHERE v.endpoint_id = p.id AND v.next_attempt_at IS NOT NULL
                       ORDER BY v.next_attempt_at LIMIT ${MAX_WAITING}) AS w) AS q`,
    values: [ids],
  });
  return new Map(
    rows.map(({ id, waiting, oldest }) => [id, { waiting, oldestWaitingSince: oldest ?? undefined }]),
  );
}
