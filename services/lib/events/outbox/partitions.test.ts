import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createTestDatabase, eventually, startTestProcess, type TestDatabase } from '../../testing/index.ts';
import { KEEP_DAYS, SCHEMA } from '../../testing/test-outbox.ts';
import { newId } from '../../text/ids/index.ts';
import { maintainPartitions, startPartitions } from './partitions.ts';

const DAY_MS = 86_400_000;

let database: TestDatabase;
afterEach(() => database.close());

const emptyDatabase = async () => {
  database = await createTestDatabase({ schema: SCHEMA });
};
const migratedDatabase = async () => {
  database = await createTestDatabase({ serviceDir: new URL('../../../account/', import.meta.url) });
};
const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await database.pool.query<Row>(text, values)).rows;
const partitions = async (parent = 'domain_event') =>
  (
    await query<{ name: string }>(
      'SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1',
      [parent],
    )
  ).map(({ name }) => name);
const dayName = (days: number) =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');

/** Returns an event id created the given number of days from now. */
function idOf(days: number): string {
  const hex = (Date.now() + days * DAY_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

const keep = async (days: number): Promise<string> => {
  const id = idOf(days);
  await query(
    `INSERT INTO domain_event (event_id, aggregate_id, type, subject, envelope) VALUES ($1, $1, 'x', 'x', '')`,
    [id],
  );
  return id;
};
const whereKept = async () =>
  (
    await query<{ name: string }>(
      'SELECT tableoid::regclass::text AS name FROM domain_event ORDER BY event_id',
    )
  ).map(({ name }) => name);
const addDay = (days: number, parent = 'domain_event', key = 'event_id') =>
  query('SELECT add_event_partition($1, $2, current_date + $3::int)', [parent, key, days]);

/** Inserts an event while a transaction that has executed `statement` is open. Rejects if the insert waits for it. */
async function keepDuring(statement: string): Promise<void> {
  const session = await database.pool.connect();
  try {
    await session.query('BEGIN');
    await session.query(statement);
    expect(await Promise.race([keep(0), pause(2_000, 'blocked')])).not.toBe('blocked');
    await session.query('COMMIT');
  } finally {
    session.release(true);
  }
}

describe('partitions of events and batches', () => {
  it('are created for the coming days and dropped when expired', async () => {
    await emptyDatabase();
    for (const days of [-9, -8, -7]) {
      await addDay(days);
      await addDay(days, 'published_batch', 'batch_id');
    }
    expect(await maintainPartitions(database.pool, KEEP_DAYS)).toBe(true);
    for (const parent of ['domain_event', 'published_batch'])
      expect(await partitions(parent)).toEqual([
        ...[-7, -1, 0, 1, 2, 3].map((days) => `${parent}_${dayName(days)}`),
        `${parent}_default`,
      ]);
  });

  it('exist after a migration, so that no insert meets the creation of its partition', async () => {
    await migratedDatabase();
    await keepDuring('SELECT maintain_event_partitions(7, 3) FROM generate_series(1, 5)');
    expect(await whereKept()).toEqual([`domain_event_${dayName(0)}`]);
  });

  it('are added days ahead without delaying inserts', async () => {
    await migratedDatabase();
    await keepDuring("SELECT add_event_partition('domain_event', 'event_id', current_date + 4)");
    expect(await partitions()).toContain(`domain_event_${dayName(4)}`);
  });

  it('keep an unpublished or parked event until it is published', async () => {
    await emptyDatabase();
    await addDay(-8);
    const [waiting, parked] = [await keep(-8), await keep(-8), await keep(-8)];
    await query('INSERT INTO outbox (event_id, parked_at) VALUES ($1, NULL), ($2, now())', [waiting, parked]);
    await maintainPartitions(database.pool, KEEP_DAYS);
    expect(await whereKept()).toEqual(['domain_event_default', 'domain_event_default']);
    await query('DELETE FROM outbox');
    await maintainPartitions(database.pool, KEEP_DAYS);
    expect(await whereKept()).toEqual([]);
  });

  it('adopt events from the default partition and lose none that arrive before they exist', async () => {
    await emptyDatabase();
    for (const days of [-3, 0, 1]) await keep(days);
    expect(new Set(await whereKept())).toEqual(new Set(['domain_event_default']));
    await maintainPartitions(database.pool, KEEP_DAYS);
    expect(await whereKept()).toEqual([
      'domain_event_default',
      `domain_event_${dayName(0)}`,
      `domain_event_${dayName(1)}`,
    ]);
  });

  it('do not leave expired events in the default partition', async () => {
    await emptyDatabase();
    await query(
      `INSERT INTO domain_event (event_id, aggregate_id, type, subject, envelope)
       SELECT overlay(gen_random_uuid()::text PLACING left($1, 13) FROM 1)::uuid, $1::uuid, 'x', 'x', ''
       FROM generate_series(1, 6000)`,
      [idOf(-8)],
    );
    await keep(-3);
    await maintainPartitions(database.pool, KEEP_DAYS);
    expect(await whereKept()).toEqual(['domain_event_default']);
  });

  it('limit lookups of an event to its own partition', async () => {
    await emptyDatabase();
    await maintainPartitions(database.pool, KEEP_DAYS);
    const ids = [idOf(0), idOf(0)].join(',');
    const plan = await query(`EXPLAIN SELECT FROM domain_event WHERE event_id = ANY ('{${ids}}'::uuid[])`);
    expect([...new Set(JSON.stringify(plan).match(/event_(\d+|default)/g))]).toEqual([`event_${dayName(0)}`]);
  });

  it('are left for later without waiting while a table is in use', async () => {
    await emptyDatabase();
    await maintainPartitions(database.pool, KEEP_DAYS);
    await addDay(-40);
    const reader = await database.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT FROM domain_event');
    const maintained = maintainPartitions(database.pool, KEEP_DAYS);
    await keep(0);
    expect(await maintained).toBe(false);
    expect(await partitions()).toContain(`domain_event_${dayName(-40)}`);
    await reader.query('COMMIT');
    reader.release();
    expect(await maintainPartitions(database.pool, KEEP_DAYS)).toBe(true);
    expect(await partitions()).not.toContain(`domain_event_${dayName(-40)}`);
  });

  it('are not dropped earlier than the contract allows', async () => {
    await emptyDatabase();
    await expect(maintainPartitions(database.pool, 6)).rejects.toThrow('at least 7');
  });

  it('are maintained by a role that may not change tables', async () => {
    await emptyDatabase();
    const role = `runtime_${newId().slice(-12)}`;
    await query(`CREATE ROLE ${role}`);
    const client = await database.pool.connect();
    try {
      await client.query(`SET ROLE ${role}`);
      await expect(client.query('CREATE TABLE x ()')).rejects.toThrow('permission denied');
      const { rows } = await client.query('SELECT maintain_event_partitions(7, 3) AS outcome');
      expect(rows).toEqual([{ outcome: 'changed' }]);
    } finally {
      await client.query(`RESET ROLE; DROP ROLE ${role}`);
      client.release();
    }
  });

  it('are maintained by a task at process startup', async () => {
    await emptyDatabase();
    const process = startTestProcess('partitions');
    startPartitions(process, database.pool, KEEP_DAYS);
    await eventually('they are there', async () =>
      (await partitions()).includes(`domain_event_${dayName(3)}`) ? true : undefined,
    );
    await process.stop();
  });

  it('are left to the replica that is maintaining them, without a warning', async () => {
    await emptyDatabase();
    const other = await database.pool.connect();
    await other.query("SELECT pg_advisory_lock(hashtext('maintain_event_partitions'))");
    const process = startTestProcess('partitions');
    const tried = once(database.pool, 'release');
    startPartitions(process, database.pool, KEEP_DAYS);
    await tried;
    await process.stop();
    expect(process.lines.filter(({ msg }) => msg === 'sweep failed')).toEqual([]);
    expect(await partitions()).toEqual(['domain_event_default']);
    other.release(true);
  });
});
