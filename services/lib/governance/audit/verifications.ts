import type { Pool, PoolClient } from 'pg';
import { gaugesOf } from '../../runtime/metrics/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';

type Sql = Pick<Pool | PoolClient, 'query'>;

/** The result of a recorded run of verify-audit. */
export interface Verification {
  /** The end of the verified part: `position:hash`, the hash in hexadecimal. */
  readonly head: string;
  /** The first finding, as a sentence; absent if there is none. */
  readonly broken?: string;
}

/** Stores the result of a run, with the database's time. */
export async function recordVerification(sql: Sql, { head, broken }: Verification): Promise<void> {
  await sql.query('INSERT INTO audit_verification (head, broken) VALUES ($1, $2)', [head, broken ?? null]);
}

/** Returns the end of the chain at the last successful recorded run; undefined if there is none. */
export async function lastGoodHead(sql: Sql): Promise<string | undefined> {
  const { rows } = await sql.query<{ head: string }>(
    'SELECT head FROM audit_verification WHERE broken IS NULL ORDER BY sequence DESC LIMIT 1',
  );
  return rows[0]?.head;
}

/** Reports recorded runs of verify-audit, and the time since one succeeded, so that none goes unnoticed. */
export function measureVerification({ metrics }: Pick<ServiceProcess, 'metrics'>, pool: Sql): void {
  const latest = gaugesOf(metrics, () => readLatest(pool));
  latest(
    {
      name: 'sss_audit_broken',
      help: '1 if the latest recorded verification found entries of the audit log changed, removed or added.',
    },
    ({ broken }) => (broken ? 1 : 0),
  );
  latest(
    {
      name: 'sss_audit_unverified_age_seconds',
      help: 'Time since the audit log was last found whole; since its first seal if it never was, 0 while it is empty.',
    },
    ({ unverifiedSeconds }) => unverifiedSeconds,
  );
}

interface Latest {
  readonly broken: boolean;
  readonly unverifiedSeconds: number;
}

async function readLatest(sql: Sql): Promise<Latest> {
  const { rows } = await sql.query<Latest>(
    `SELECT coalesce((SELECT broken IS NOT NULL FROM audit_verification ORDER BY sequence DESC LIMIT 1), false) AS broken,
            greatest(0, coalesce(extract(epoch FROM CURRENT_TIMESTAMP - coalesce(
              (SELECT verified_at FROM audit_verification WHERE broken IS NULL ORDER BY sequence DESC LIMIT 1),
              (SELECT sealed_at FROM audit_seal WHERE position = 1))), 0))::float8 AS "unverifiedSeconds"`,
  );
  const [latest] = rows;
  if (!latest) throw new Error('invariant violated: no row of what verifications found');
  return latest;
}
