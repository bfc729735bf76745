import type { openPool } from '@supplier/lib/postgres';

export type LimitsPool = Pick<ReturnType<typeof openPool>, 'query'>;

/**
 * Not logged: counts are worth a minute, and a crash of the server only empties the table. Half-filled pages leave room
 * for a row's next version beside it. The lock keeps gateways that start together from making the table twice.
 */
const TABLE = `
  SELECT pg_advisory_xact_lock(7361001);
  CREATE UNLOGGED TABLE IF NOT EXISTS limit_window (
    key        text COLLATE "C" NOT NULL,
    newest     bigint           NOT NULL,
    counts     integer[]        NOT NULL,
    used       integer          NOT NULL,
    granted    integer          NOT NULL,
    most       integer          NOT NULL,
    expires_at timestamptz      NOT NULL,
    CONSTRAINT limit_window_pkey PRIMARY KEY (key)
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
  CREATE INDEX IF NOT EXISTS limit_window_expires_at_idx ON limit_window (expires_at);`;

/** Makes the limiter's one table where it is missing. Rejects when the store is away. */
export async function prepareTable(pool: LimitsPool): Promise<void> {
  await pool.query(TABLE);
}
