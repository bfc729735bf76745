// SQL, because the console has one table and no Prisma client.
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { Logger } from '@supplier/lib/runtime/log';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { Pool } from 'pg';
import { z } from 'zod';
import {
  LEASE_MS,
  MAX_SESSIONS,
  MOST_OF_PERSON,
  type SessionContents,
  type SessionStore,
} from './session-store.ts';

const contentsPart = z.object({
  person: z.object({ subject: z.string(), roles: z.array(z.string()) }),
  tokens: z.object({
    accessToken: z.string(),
    refreshToken: z
      .string()
      .nullable()
      .transform((token) => token ?? undefined),
    endsAt: z.number(),
  }),
  endsAt: z.number(),
});

interface Row {
  readonly subject: string;
  readonly sealed: Buffer;
  readonly unused_ms: number;
}

export interface SharedMeans {
  readonly pool: Pick<Pool, 'query'>;
  readonly keys: KeyRing;
  readonly idleMs: number;
  readonly log: Logger;
}

const PLACE = { table: 'session', column: 'sealed' };
const SWEEP_EVERY_MS = 60_000;
const SWEPT_AT_ONCE = 1_000;
const UNUSED_SINCE = "used_at <= now() - $1 * interval '1 millisecond'";

/**
 * Keeps sessions in PostgreSQL, for all replicas of the console, by the server's clock. Only the sealed column is
 * believed, which is sealed under the key ring for its own row. A row that doesn't open, or names another person, is
 * kept but doesn't count as a session.
 */
export function sharedSessions({ pool, keys, idleMs, log }: SharedMeans): SessionStore {
  const seal = (digest: string, { person, tokens, endsAt }: SessionContents) => {
    const text = JSON.stringify({
      ...{ person, endsAt },
      tokens: { ...tokens, refreshToken: tokens.refreshToken ?? null },
    });
    return Buffer.from(keys.seal(Buffer.from(text), { ...PLACE, row: digest }));
  };
  const open = (digest: string, sealed: Buffer) => {
    try {
      const text = Buffer.from(keys.open(sealed, { ...PLACE, row: digest })).toString();
      return contentsPart.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  };
  const changed = async (text: string, values: readonly unknown[]) =>
    (await pool.query(text, [...values])).rowCount === 1;
  const digestsOf = async (text: string, values: readonly unknown[]) =>
    (await pool.query<{ id_digest: string }>(text, [...values])).rows.map(({ id_digest }) => id_digest);
  /** A use in the future counts as now. The oldest is bounded, because times can be infinite. */
  const rowOf = async (digest: string) => {
    const { rows } = await pool.query<Row>(
      `SELECT subject, sealed, (1000 * extract(epoch FROM now()
                - greatest(least(used_at, now()), now() - interval '2 days')))::float8 AS unused_ms
         FROM session WHERE id_digest = $1`,
      [digest],
    );
    return rows[0];
  };
  let unopened = 0;

  return {
    // One statement, so that a session is added only if its login succeeds. It doesn't see the row that it adds.
    async add(digest, contents) {
      await pool.query(
        `WITH added AS (INSERT INTO session (id_digest, subject, sealed) VALUES ($1, $2, $3))
         DELETE FROM session WHERE id_digest IN
           (SELECT id_digest FROM session WHERE subject = $2 ORDER BY used_at DESC OFFSET ${MOST_OF_PERSON - 1})`,
        [digest, contents.person.subject, seal(digest, contents)],
      );
    },
    async read(digest) {
      const row = await rowOf(digest);
      const opened = row && open(digest, row.sealed);
      if (opened && opened.person.subject === row.subject)
        return { ...opened, unusedMs: row.unused_ms, version: row.sealed.toString('base64') };
      if (row) {
        unopened += 1;
        log.warn({ count: unopened }, 'sessions not opened');
      }
      return undefined;
    },
    async use(digest) {
      await pool.query('UPDATE session SET used_at = now() WHERE id_digest = $1', [digest]);
    },
    // A lease that ends later than any was altered. Not compared with now(), which may be earlier than the lease that
    // the statement waited for. The bound is doubled in case the server's clock was set back.
    async beginRenewal(digest, version) {
      const { rows } = await pool.query<{ lease: string }>(
        `UPDATE session SET renewing_until = clock_timestamp() + interval '${LEASE_MS} milliseconds'
          WHERE id_digest = $1 AND sealed = decode($2, 'base64') AND (renewing_until IS NULL
             OR renewing_until NOT BETWEEN clock_timestamp()
                AND clock_timestamp() + interval '${2 * LEASE_MS} milliseconds')
          RETURNING renewing_until::text AS lease`,
        [digest, version],
      );
      return rows[0]?.lease;
    },
    renew: (digest, lease, contents) =>
      changed('UPDATE session SET sealed = $3 WHERE id_digest = $1 AND renewing_until = $2::timestamptz', [
        ...[digest, lease],
        seal(digest, contents),
      ]),
    async endRenewal(digest, lease) {
      await pool.query(
        'UPDATE session SET renewing_until = NULL WHERE id_digest = $1 AND renewing_until = $2::timestamptz',
        [digest, lease],
      );
    },
    remove: (digest, version) =>
      changed(
        "DELETE FROM session WHERE id_digest = $1 AND ($2::text IS NULL OR sealed = decode($2, 'base64'))",
        [digest, version],
      ),
    async removeAllOf(digest) {
      const row = await rowOf(digest);
      const subject = row && open(digest, row.sealed)?.person.subject;
      return digestsOf('DELETE FROM session WHERE id_digest = $1 OR subject = $2 RETURNING id_digest', [
        ...[digest, subject],
      ]);
    },
    existing: async (digests) =>
      new Set(await digestsOf('SELECT id_digest FROM session WHERE id_digest = ANY($1::text[])', [digests])),
    async count() {
      const { rows } = await pool.query<{ count: number }>(
        `SELECT count(*)::integer AS count FROM session WHERE NOT ${UNUSED_SINCE}`,
        [idleMs],
      );
      return rows[0]?.count ?? 0;
    },
  };
}

/** Removes sessions that were not used, and those beyond the maximum. */
export const unusedSessions: Sweep<Pick<SharedMeans, 'pool' | 'idleMs'>> = {
  found: 'unused sessions removed',
  everyMs: SWEEP_EVERY_MS,
  async run({ pool, idleMs }) {
    const { rowCount } = await pool.query(
      `DELETE FROM session WHERE id_digest IN (
         (SELECT id_digest FROM session WHERE ${UNUSED_SINCE} LIMIT ${SWEPT_AT_ONCE})
         UNION ALL
         (SELECT id_digest FROM session ORDER BY used_at DESC OFFSET ${MAX_SESSIONS} LIMIT ${SWEPT_AT_ONCE}))`,
      [idleMs],
    );
    const count = rowCount ?? 0;
    return { count, more: count >= SWEPT_AT_ONCE };
  },
};
