import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type pg from 'pg';
import { createTestDatabase, startTestProcess } from '../../testing/index.ts';
import { inTransaction, isUnavailable, openPool } from './index.ts';

it('openPool reports the connections in use and the waiting callers of each pool', async () => {
  const database = await createTestDatabase({ schema: '' });
  const service = startTestProcess('test');
  const config = { databaseUrl: database.databaseUrl, databasePool: 1 };
  const pool = openPool(config, service);
  openPool(config, service, { purpose: 'work', max: 7 });
  const page = () => service.metrics.metrics();
  const client = await pool.connect();
  const waiting = pool.connect();
  expect((await page()).split('\n')).toEqual(
    expect.arrayContaining([
      'sss_database_pool_connections{pool="calls",state="busy"} 1',
      'sss_database_pool_connections{pool="calls",state="idle"} 0',
      'sss_database_pool_max_connections{pool="calls"} 1',
      'sss_database_pool_waiting_callers{pool="calls"} 1',
      'sss_database_pool_connections{pool="work",state="busy"} 0',
      'sss_database_pool_max_connections{pool="work"} 7',
      'sss_database_pool_waiting_callers{pool="work"} 0',
    ]),
  );
  client.release();
  (await waiting).release();
  expect(await page()).toContain('sss_database_pool_connections{pool="calls",state="idle"} 1');
  await service.stop();
  await database.close();
});

describe('openPool connections', () => {
  it('use an index even while a table is small, because a prepared statement keeps its plan as it grows', async () => {
    const database = await createTestDatabase({
      schema:
        'CREATE TABLE lead (id int PRIMARY KEY, note text); INSERT INTO lead SELECT g FROM generate_series(1, 50) AS g; ANALYZE lead',
    });
    const service = startTestProcess('test');
    const pool = openPool({ databaseUrl: database.databaseUrl, databasePool: 1 }, service);
    const ids = Array.from({ length: 64 }, (_, index) => index);
    const { rows } = await pool.query<{ 'QUERY PLAN': string }>(
      'EXPLAIN UPDATE lead SET note = g.note FROM unnest($1::int[], $2::text[]) AS g(id, note) WHERE lead.id = g.id',
      [ids, ids.map(String)],
    );
    const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
    expect(plan).toContain('Index Scan using lead_pkey');
    expect(plan).not.toMatch(/Seq Scan|Hash Join/);
    await service.stop();
    await database.close();
  });
});

describe('openPool with a read-only server', () => {
  const INSERT = 'INSERT INTO kept VALUES (1)';

  async function demotable() {
    const database = await createTestDatabase({ schema: 'CREATE TABLE kept (n integer)' });
    const service = startTestProcess('test');
    const { pathname } = new URL(database.databaseUrl);
    return {
      pool: openPool({ databaseUrl: database.databaseUrl, databasePool: 1 }, service),
      service,
      setReadOnly: (value: 'on' | 'off') =>
        database.pool.query(
          `ALTER DATABASE ${pathname.slice(1)} SET default_transaction_read_only = ${value}`,
        ),
      async close() {
        await service.stop();
        await database.close();
      },
    };
  }
  const messages = (lines: readonly Record<string, unknown>[]) => lines.map(({ msg }) => msg);

  it('rejects new connections as unavailable and logs that once', async () => {
    const { pool, service, setReadOnly, close } = await demotable();
    await setReadOnly('on');
    for (let i = 0; i < 3; i += 1) {
      const error = await pool.query('SELECT 1').catch((cause: unknown) => cause);
      expect(isUnavailable(error)).toBe(true);
    }
    expect(pool.totalCount).toBe(0);
    await setReadOnly('off');
    await pool.query(INSERT);
    expect(messages(service.lines)).toEqual([
      'database is read-only; waiting for the primary',
      'database accepts writes again',
    ]);
    await close();
  });

  it.each<[string, (pool: pg.Pool) => Promise<unknown>]>([
    ['a statement', (pool) => pool.query(INSERT)],
    ['a transaction', (pool) => inTransaction(pool, (tx) => tx.query(INSERT))],
    [
      'a transaction of Prisma',
      async (pool) => {
        const client = await pool.connect();
        try {
          await client.query('BEGIN');
          await client.query(INSERT);
        } finally {
          await client.query('ROLLBACK').catch(() => {});
          client.release();
        }
      },
    ],
  ])('closes the connection after a rejected write: %s', async (_, write) => {
    const { pool, close } = await demotable();
    await pool.query('SET default_transaction_read_only = on');
    const error = await write(pool).catch((cause: unknown) => cause);
    expect(error).toMatchObject({ code: '25006' });
    expect(isUnavailable(error)).toBe(true);
    await write(pool);
    await close();
  });
});

it('openPool times out after a second on a server that accepts a connection but does not respond', async () => {
  const service = startTestProcess('test');
  // "R" means that no password is needed, "Z" that the server is ready for statements.
  const welcome = Buffer.from('520000000800000000' + '5a0000000549', 'hex');
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('data', () => socket.write(welcome));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const databaseUrl = `postgresql://nobody:nothing@127.0.0.1:${port}/none`;
  const pool = openPool({ databaseUrl, databasePool: 1 }, service, { connectTimeoutMs: 30_000 });
  const startedAt = performance.now();
  await expect(pool.connect()).rejects.toThrow('Query read timeout');
  expect(performance.now() - startedAt).toBeLessThan(15_000);
  for (const socket of sockets) socket.destroy();
  server.close();
  await service.stop();
});
