import type pg from 'pg';

/** Returns a fake pool that only reports the database clock, `ms` milliseconds ahead of this machine. */
export function databaseAhead(ms: number): pg.Pool {
  const query = async () => ({ rows: [{ ms: Date.now() + ms }] });
  return { connect: async () => ({ query, release: () => {} }) } as unknown as pg.Pool;
}
