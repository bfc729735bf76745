// SQL, because the console has one table and no Prisma client.
import type { KeyRing } from '@supplier/lib/data/crypto';
import type { openPool } from '@supplier/lib/data/postgres';
import { z } from 'zod';
import { MAX_SESSIONS, MOST_OF_PERSON, type SessionStore, type StoredSession } from './session-store.ts';

const sealedPart = z.object({
  person: z.object({ subject: z.string(), roles: z.array(z.string()) }),
  tokens: z.object({
    accessToken: z.string(),
    refreshToken: z
      .string()
      .nullable()
      .transform((token) => token ?? undefined),
    endsAt: z.number(),
  }),
});

interface Row {
  readonly sealed: Buffer;
  readonly used_at: Date;
  readonly ends_at: Date;
}

const PLACE = { table: 'session', column: 'sealed' };

/**
 * Keeps sessions in PostgreSQL, for all replicas of the console. Persons and tokens are sealed under the key ring, each
 * for its own row. A session that was sealed under a key that is no longer in the ring doesn't exist.
 */
export function sharedSessions(
  pool: Pick<ReturnType<typeof openPool>, 'query'>,
  keys: KeyRing,
): SessionStore {
  const seal = (digest: string, { person, tokens }: Pick<StoredSession, 'person' | 'tokens'>) => {
    const text = JSON.stringify({ person, tokens: { ...tokens, refreshToken: tokens.refreshToken ?? null } });
    return Buffer.from(keys.seal(Buffer.from(text), { ...PLACE, row: digest }));
  };
  const open = (digest: string, sealed: Buffer) => {
    try {
      const text = Buffer.from(keys.open(sealed, { ...PLACE, row: digest })).toString();
      return sealedPart.safeParse(JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  };
  return {
    async add(digest, session, unusedSince) {
      const { person, usedAt, endsAt } = session;
      await pool.query(
        'INSERT INTO session (id_digest, subject, sealed, used_at, ends_at) VALUES ($1, $2, $3, $4, $5)',
        [digest, person.subject, seal(digest, session), new Date(usedAt), new Date(endsAt)],
      );
      await pool.query(
        `DELETE FROM session WHERE used_at <= $2 OR id_digest IN (
           (SELECT id_digest FROM session WHERE subject = $1 ORDER BY used_at DESC OFFSET ${MOST_OF_PERSON})
           UNION ALL (SELECT id_digest FROM session ORDER BY used_at DESC OFFSET ${MAX_SESSIONS}))`,
        [person.subject, new Date(unusedSince)],
      );
    },
    async read(digest) {
      const { rows } = await pool.query<Row>(
        'SELECT sealed, used_at, ends_at FROM session WHERE id_digest = $1',
        [digest],
      );
      const [row] = rows;
      const opened = row && open(digest, row.sealed);
      return opened && { ...opened, usedAt: row.used_at.getTime(), endsAt: row.ends_at.getTime() };
    },
    async use(digest, at) {
      await pool.query('UPDATE session SET used_at = greatest(used_at, $2) WHERE id_digest = $1', [
        digest,
        new Date(at),
      ]);
    },
    async beginRenewal(digest, now, until) {
      const { rowCount } = await pool.query(
        `UPDATE session SET renewing_until = $3
          WHERE id_digest = $1 AND (renewing_until IS NULL OR renewing_until <= $2)`,
        [digest, new Date(now), new Date(until)],
      );
      return rowCount === 1;
    },
    async renew(digest, by) {
      await pool.query('UPDATE session SET sealed = $2, renewing_until = NULL WHERE id_digest = $1', [
        digest,
        seal(digest, by),
      ]);
    },
    async endRenewal(digest) {
      await pool.query('UPDATE session SET renewing_until = NULL WHERE id_digest = $1', [digest]);
    },
    async remove(digest) {
      await pool.query('DELETE FROM session WHERE id_digest = $1', [digest]);
    },
    async removeAllOf(subject) {
      const { rows } = await pool.query<{ id_digest: string }>(
        'DELETE FROM session WHERE subject = $1 RETURNING id_digest',
        [subject],
      );
      return rows.map(({ id_digest }) => id_digest);
    },
    async existing(digests) {
      const { rows } = await pool.query<{ id_digest: string }>(
        'SELECT id_digest FROM session WHERE id_digest = ANY($1::text[])',
        [digests],
      );
      return new Set(rows.map(({ id_digest }) => id_digest));
    },
    async count(unusedSince, now) {
      const { rows } = await pool.query<{ count: number }>(
        'SELECT count(*)::integer AS count FROM session WHERE used_at > $1 AND ends_at > $2',
        [new Date(unusedSince), new Date(now)],
      );
      return rows[0]?.count ?? 0;
    },
  };
}
