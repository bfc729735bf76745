import { boundedPage, type LookedAt } from '@supplier/lib/rpc/page-token';
import type { AccountId, EndpointId } from '@supplier/lib/text/ids';
import type { Pool } from 'pg';
import type { EnvironmentName } from '../model/event.ts';
import type { EndpointRecord } from '../store/endpoints.ts';

/** Maximum number of endpoints examined for one page. */
const MAX_LOOKED_AT = 5_000;
/** Maximum count of waiting events of an endpoint, so that counting a backlog does not make it worse. */
const MAX_WAITING = 100;
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

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

interface Row extends LookedAt {
  readonly id: EndpointId;
  readonly account_id: AccountId;
  readonly environment: EnvironmentName;
  readonly url: string;
  readonly enabled: boolean;
  readonly key_fingerprint: string;
  readonly created_at: Date;
  readonly failing_since: Date | null;
  /** A 64-bit number, which the driver returns as text. */
  readonly failed_attempts: string;
  readonly waiting: number;
  readonly oldest: Date | null;
}

/**
 * Returns matching endpoints, latest created first: up to `limit` after `after`, and the position after which the next
 * page begins; undefined on the last page.
 */
export async function listEndpoints(
  pool: Pick<Pool, 'query'>,
  filter: EndpointFilter,
  after: EndpointId | undefined,
  limit: number,
): Promise<{ endpoints: ListedEndpoint[]; next: EndpointId | undefined }> {
  const { accountId, environment, failing, disabled } = filter;
  const { rows } = await pool.query<Row>({
    text: `
      SELECT p.*, q.waiting, q.oldest
        FROM (SELECT e.*, c.place = ${MAX_LOOKED_AT} AS is_last
                FROM (SELECT s.id, row_number() OVER (ORDER BY s.id DESC) AS place
                        FROM (${sourceOf(filter)} ORDER BY 1 DESC LIMIT ${MAX_LOOKED_AT}) AS s) AS c
               CROSS JOIN LATERAL (
                 SELECT e.id, e.account_id, e.environment::text AS environment, e.url, e.enabled, e.key_fingerprint,
                        e.created_at, h.failing_since, coalesce(h.failed_attempts, 0) AS failed_attempts,
                        ($2::uuid IS NULL OR e.account_id = $2) AND ($3::text IS NULL OR e.environment::text = $3)
                        AND (NOT $4::boolean OR h.failing_since IS NOT NULL)
                        AND (NOT $5::boolean OR NOT e.enabled) AS matches
                   FROM endpoint e LEFT JOIN endpoint_health h ON h.endpoint_id = e.id
                  WHERE e.id = c.id OFFSET 0) AS e
               WHERE e.matches OR c.place = ${MAX_LOOKED_AT}
               ORDER BY c.id DESC LIMIT ${limit + 1}) AS p
       CROSS JOIN LATERAL (
         SELECT count(*)::int AS waiting, min(w.recorded_at) AS oldest
           FROM (SELECT v.recorded_at FROM event v WHERE v.endpoint_id = p.id AND v.next_attempt_at IS NOT NULL
                  ORDER BY v.next_attempt_at LIMIT ${MAX_WAITING}) AS w) AS q
       ORDER BY p.id DESC`,
    values: [after ?? LAST_ID, accountId ?? null, environment ?? null, failing, disabled],
  });
  const { page, next } = boundedPage(rows, limit);
  return { endpoints: page.map(listedFromRow), next: next?.id };
}

/** Returns SQL for the ids to examine, through the index that selects the fewest. */
function sourceOf({ accountId, failing, disabled }: EndpointFilter): string {
  if (accountId !== undefined) return 'SELECT id FROM endpoint WHERE account_id = $2::uuid AND id < $1::uuid';
  if (failing)
    return 'SELECT endpoint_id AS id FROM endpoint_health WHERE failing_since IS NOT NULL AND endpoint_id < $1::uuid';
  return `SELECT id FROM endpoint WHERE ${disabled ? 'NOT enabled AND ' : ''}id < $1::uuid`;
}

function listedFromRow(row: Row): ListedEndpoint {
  return {
    endpoint: {
      endpointId: row.id,
      accountId: row.account_id,
      environment: row.environment,
      url: row.url,
      enabled: row.enabled,
      keyFingerprint: row.key_fingerprint,
      createdAt: row.created_at,
      failingSince: row.failing_since ?? undefined,
      failedAttempts: BigInt(row.failed_attempts),
    },
    waiting: row.waiting,
    oldestWaitingSince: row.oldest ?? undefined,
  };
}
