import { createTestDatabase, eventually, startTestProcess, type TestDatabase } from '../../testing/index.ts';
import { RETENTION, SCHEMA } from '../../testing/test-outbox.ts';
import { newId } from '../../text/ids/index.ts';
import { maintainPartitions, startPartitions } from './partitions.ts';

const SERVICES = ['account', 'billing', 'document', 'submission', 'webhook'];
const serviceDir = (service: string) => new URL(`../../${service}/`, import.meta.url);
const DAY_MS = 86_400_000;

let database: TestDatabase;
afterEach(() => database.close());

const emptyDatabase = async () => {
  database = await createTestDatabase({ schema: SCHEMA });
};
const query = async <Row extends object>(text: string, values: unknown[] = []) =>
  (await database.pool.query<Row>(text, values)).rows;
const partitionsOf = async (parent: string) =>
  (
    await query<{ name: string }>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = $1::regclass ORDER BY 1`,
      [parent],
    )
  ).map(({ name }) => name);
const dayName = (days: number) =>
  new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10).replaceAll('-', '');

/** An event id of so many days from now. */
function idOf(days: number): string {
  const hex = (Date.now() + days * DAY_MS).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}${newId().slice(13)}`;
}

const note = (days: number, consumer = 'tester') =>
  query('INSERT INTO inbox (consumer, event_id) VALUES ($1, $2)', [consumer, idOf(days)]);
const whereNoted = async () =>
  (await query<{ name: string }>('SELECT tableoid::regclass::text AS name FROM inbox ORDER BY event_id')).map(
    ({ name }) => name,
  );

describe('the partitions of published events and of the inbox', () => {
  it('are made for the days to come, and dropped when they are past their time, the inbox later', async () => {
    await emptyDatabase();
    for (const [parent, days] of Object.entries({ published_event: [-9, -8, -7], inbox: [-18, -17, -16] })) {
      for (const n of days)
        await query(`SELECT add_event_partition($1, current_date + $2::int)`, [parent, n]);
    }
    expect(await maintainPartitions(database.pool, RETENTION)).toBe(true);
    const ahead = [-1, 0, 1, 2, 3].map(dayName);
    expect(await partitionsOf('published_event')).toEqual([
      ...[dayName(-7), ...ahead].map((day) => `published_event_${day}`),
      'published_event_default',
    ]);
    expect(await partitionsOf('inbox')).toEqual([
      ...[dayName(-16), ...ahead].map((day) => `inbox_${day}`),
      'inbox_default',
    ]);
  });

  it('take over what came before they were there, and lose nothing that comes when they are not', async () => {
    await emptyDatabase();
    for (const days of [-3, 0, 1]) await note(days);
    expect(new Set(await whereNoted())).toEqual(new Set(['inbox_default']));
    await maintainPartitions(database.pool, RETENTION);
    expect(await whereNoted()).toEqual(['inbox_default', `inbox_${dayName(0)}`, `inbox_${dayName(1)}`]);
  });

  it('leave nothing behind in the default partition for ever', async () => {
    await emptyDatabase();
    await query(
      `INSERT INTO inbox (consumer, event_id, applied_at)
       SELECT 'tester', gen_random_uuid(), now() - $1 * interval '1 day' FROM generate_series(1, 6000)`,
      [17],
    );
    await note(-3);
    await maintainPartitions(database.pool, RETENTION);
    expect(await whereNoted()).toEqual(['inbox_default']);
  });

  it('are looked up in the one of the event alone', async () => {
    await emptyDatabase();
    await maintainPartitions(database.pool, RETENTION);
    const plan = async (text: string) =>
      (await query<{ 'QUERY PLAN': string }>(`EXPLAIN (COSTS OFF) ${text}`))
        .map((row) => row['QUERY PLAN'])
        .join('\n');
    const today = [idOf(0), idOf(0)];
    const lookUp = await plan(
      `SELECT FROM inbox WHERE consumer = 'billing' AND event_id = ANY ('{${today.join(',')}}'::uuid[])`,
    );
    expect([...new Set(lookUp.match(/inbox_(\d+|default)/g))]).toEqual([`inbox_${dayName(0)}`]);
    // Noting an event goes to its partition by the event's own id: no other one is in the plan.
    const noting = await plan(
      `INSERT INTO inbox (consumer, event_id) SELECT 'billing', * FROM unnest('{${today.join(',')}}'::uuid[])
       ON CONFLICT (consumer, event_id) DO NOTHING RETURNING event_id`,
    );
    expect(noting.match(/inbox_\d+/g)).toBeNull();
  });

  it('wait for nobody: a table that is in use is left for later, and used meanwhile', async () => {
    await emptyDatabase();
    await maintainPartitions(database.pool, RETENTION);
    await query(`SELECT add_event_partition('inbox', current_date - 40)`);
    const reader = await database.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT FROM inbox');
    const maintained = maintainPartitions(database.pool, RETENTION);
    await note(0);
    expect(await maintained).toBe(false);
    expect(await partitionsOf('inbox')).toContain(`inbox_${dayName(-40)}`);
    await reader.query('COMMIT');
    reader.release();
    expect(await maintainPartitions(database.pool, RETENTION)).toBe(true);
    expect(await partitionsOf('inbox')).not.toContain(`inbox_${dayName(-40)}`);
  });

  it('are not dropped sooner than the contract allows', async () => {
    await emptyDatabase();
    for (const days of [
      [6, 16],
      [7, 7],
    ]) {
      const [publishedDays = 0, inboxDays = 0] = days;
      await expect(maintainPartitions(database.pool, { publishedDays, inboxDays })).rejects.toThrow(
        'at least 7',
      );
    }
  });

  it('are maintained by a role that may not change tables', async () => {
    await emptyDatabase();
    const role = `runtime_${newId().slice(-12)}`;
    await query(`CREATE ROLE ${role}`);
    const client = await database.pool.connect();
    try {
      await client.query(`SET ROLE ${role}`);
      await expect(client.query('CREATE TABLE x ()')).rejects.toThrow('permission denied');
      const { rows } = await client.query('SELECT maintain_event_partitions(7, 16, 3) AS outcome');
      expect(rows).toEqual([{ outcome: 'changed' }]);
    } finally {
      await client.query(`RESET ROLE; DROP ROLE ${role}`);
      client.release();
    }
  });

  it('are maintained by a task of a process, at once and again when it could not be done', async () => {
    await emptyDatabase();
    const process = startTestProcess('partitions');
    startPartitions(process, database.pool, RETENTION);
    await eventually('they are there', async () =>
      (await partitionsOf('inbox')).includes(`inbox_${dayName(3)}`) ? true : undefined,
    );
    await process.stop();
  });
});

describe('the migration of every service', () => {
  it.each(SERVICES)(
    'of %s comes to the tables and functions that the relay is tested with',
    async (service) => {
      const shape = async () => ({
        columns: await query(
          `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
          WHERE table_name IN ('outbox', 'published_event', 'inbox', 'outbox_stream', 'outbox_refill')
          ORDER BY 1, ordinal_position`,
        ),
        indexes: await query(
          `SELECT indexname, indexdef FROM pg_indexes
          WHERE tablename IN ('outbox', 'published_event', 'inbox', 'outbox_stream', 'outbox_refill') ORDER BY 1`,
        ),
        options: await query(`SELECT reloptions FROM pg_class WHERE relname = 'outbox'`),
        functions: await query(
          `SELECT pg_get_functiondef(oid) FROM pg_proc WHERE proname LIKE '%event\\_%' ORDER BY proname`,
        ),
        triggers: await query(`SELECT tgname FROM pg_trigger WHERE tgrelid = 'outbox'::regclass`),
      });
      await emptyDatabase();
      const expected = await shape();
      await database.close();
      database = await createTestDatabase({ serviceDir: serviceDir(service) });
      expect(await shape()).toEqual(expected);
    },
  );
});
