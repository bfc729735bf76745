import type pg from 'pg';
import { ConfigError } from '../../runtime/config/index.ts';
import type { ServiceProcess } from '../../runtime/service-runtime/index.ts';
import { repeatUntilDone } from '../../runtime/sweepers/index.ts';
import type { KeyOfRing, KeyPurpose, KeyRing } from '../crypto/index.ts';
import { isUnavailable } from '../postgres/index.ts';

const RETRY_MS = 1_000;
/** Undefined table, and a role that the migrate command has not granted access yet. */
const NOT_MIGRATED: readonly unknown[] = ['42P01', '42501'];

export interface KeyInUse {
  readonly purpose: KeyPurpose;
  readonly id: string;
  readonly checkValue: Buffer;
}

/**
 * Records the ring's primary keys as in use, and requires the ring to contain every key in use, with the same bytes. A
 * missing key is then detected at startup rather than with each value that cannot be opened or found. Reads a few rows,
 * regardless of the size of the database. Rejects with a ConfigError that names the key. If the database is unavailable
 * or not migrated yet, startup continues; the check repeats every second and ends the process if it fails later.
 */
export async function requireKeysInUse(process: ServiceProcess, pool: pg.Pool, ring: KeyRing): Promise<void> {
  const attempt = () => check(pool, ring);
  if (!(await attempt())) void repeatUntilDone(process, RETRY_MS, attempt);
}

/** Returns whether the check could run. */
async function check(pool: pg.Pool, ring: KeyRing): Promise<boolean> {
  try {
    const inUse = await keysInUse(pool);
    for (const key of inUse) refuseLack(key, ring);
    await enterKeys(pool, ring.all, inUse);
    return true;
  } catch (error) {
    if (isUnavailable(error) || NOT_MIGRATED.includes((error as { code?: unknown }).code)) return false;
    throw error;
  }
}

/** Returns the keys that values in the database may be under. */
export async function keysInUse(pool: pg.Pool): Promise<KeyInUse[]> {
  const { rows } = await pool.query<KeyInUse>(
    'SELECT purpose, key_id AS id, check_value AS "checkValue" FROM key_in_use',
  );
  return rows;
}

function refuseLack({ purpose, id, checkValue }: KeyInUse, ring: KeyRing): void {
  const found = ring.all.find((key) => key.purpose === purpose && key.id === id);
  const what = `the ${purpose} key ${id}, which values in this database use`;
  const advice = 'docs/operating.md, "Keys"';
  if (!found)
    throw new ConfigError(`bad configuration: SSS_KEY_RING_FILE lacks ${what}: restore it (see ${advice})`);
  if (Buffer.compare(checkValue, found.checkValue) !== 0)
    throw new ConfigError(
      `bad configuration: SSS_KEY_RING_FILE has different bytes for ${what}: restore the original ones (see ${advice})`,
    );
}

/** If no key of a purpose is recorded yet, any key in the ring may have been used. */
async function enterKeys(
  pool: pg.Pool,
  keys: readonly KeyOfRing[],
  inUse: readonly KeyInUse[],
): Promise<void> {
  const known = new Set(inUse.map(({ purpose }) => purpose));
  const entered = keys.filter(({ purpose, primary }) => primary || !known.has(purpose));
  await pool.query(
    `INSERT INTO key_in_use (purpose, key_id, check_value) SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[])
     ON CONFLICT DO NOTHING`,
    [
      entered.map(({ purpose }) => purpose),
      entered.map(({ id }) => id),
      entered.map(({ checkValue }) => checkValue),
    ],
  );
}

/** Removes keys from the table: rings no longer need to contain them. */
export async function retireKeys(
  pool: pg.Pool,
  keys: readonly { readonly purpose: KeyPurpose; readonly id: string }[],
): Promise<void> {
  await pool.query(
    `DELETE FROM key_in_use k USING unnest($1::text[], $2::text[]) AS g(purpose, key_id)
      WHERE k.purpose = g.purpose AND k.key_id = g.key_id`,
    [keys.map(({ purpose }) => purpose), keys.map(({ id }) => id)],
  );
}
