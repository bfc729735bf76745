import type pg from 'pg';

/** A pool as far as its database's clock is asked: it is that much ahead of this machine's. */
export function databaseAhead(ms: number): pg.Pool {
  const query = async () => ({ rows: [{ ms: Date.now() + ms }] });
  return { connect: async () => ({ query, release: () => {} }) } as unknown as pg.Pool;
}
