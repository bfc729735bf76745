import { randomUUID } from 'node:crypto';
import { Code, ConnectError } from '@connectrpc/connect';
import { createTestDatabase, eventually, startTestProcess, type TestDatabase } from '@supplier/lib/testing';
import pg from 'pg';
import { startWork, type Work, type WorkRow, workQueue } from './index.ts';

const SCHEMA = `CREATE TABLE task (
  id uuid PRIMARY KEY, label text NOT NULL, done_at timestamptz, position bigserial,
  work_due_at timestamptz NOT NULL DEFAULT now(), work_attempts smallint NOT NULL DEFAULT 0,
  work_failure text, work_parked_at timestamptz)`;

interface Task extends WorkRow {
  readonly label: string;
}

let database: TestDatabase;
let service: ReturnType<typeof startTestProcess>;
beforeEach(async () => {
  database = await createTestDatabase({ schema: SCHEMA });
  service = startTestProcess('tasks');
});
afterEach(async () => {
  await service.stop();
  await database.close();
});

const add = (...labels: string[]) =>
  database.pool.query('INSERT INTO task (id, label) SELECT gen_random_uuid(), unnest($1::text[])', [labels]);
const done = async () =>
  (await database.pool.query<{ label: string }>('SELECT label FROM task WHERE done_at IS NOT NULL')).rows.map(
    ({ label }) => label,
  );
const rowOf = async (label: string) =>
  (await database.pool.query('SELECT * FROM task WHERE label = $1', [label])).rows[0];
const dueNow = () => database.pool.query("UPDATE task SET work_due_at = now() - interval '1 second'");
const release = (ids: readonly string[]) =>
  workQueue('task').release(database.pool, { where: 'id = ANY($1::uuid[])', values: [ids] }, 'id');
const logged = (message: string) => service.lines.filter(({ msg }) => String(msg).includes(message));

/** Marks tasks as done. If `check` throws for one, the whole set is rolled back. */
function marking(check: (task: Task) => void, sets: string[][] = []): Work<Task> {
  return {
    name: 'mark',
    source: {
      table: 'task',
      columns: 'w.id, w.label',
      pending: 'task w WHERE w.done_at IS NULL',
      order: 'w.position',
    },
    lanes: 1,
    async run(tx, rows) {
      sets.push(rows.map(({ label }) => label));
      await tx.query('UPDATE task SET done_at = now() WHERE id = ANY($1)', [rows.map(({ id }) => id)]);
      for (const row of rows) check(row);
      return {};
    },
  };
}
const failOn =
  (...labels: string[]) =>
  ({ label }: Task) => {
    if (labels.includes(label)) throw new TypeError(`secret of ${label}`);
  };

describe('startWork', () => {
  it('processes pending rows in table order, up to 64 at a time, and later rows when woken', async () => {
    await add(...Array.from({ length: 100 }, (_, index) => String(index)));
    const sets: string[][] = [];
    const worker = startWork(
      service,
      database.pool,
      marking(() => {}, sets),
    );
    await eventually('all to be done', async () => (await done()).length === 100);
    expect(sets.map(({ length }) => length).slice(0, 2)).toEqual([64, 36]);
    expect(sets[0]).toEqual(Array.from({ length: 64 }, (_, index) => String(index)));
    await add('later');
    worker.wake();
    await eventually('the later one', async () => (await done()).includes('later'));
  });

  it('isolates one bad row of 64: commits the other 63, then retries and parks it with its reason', async () => {
    await add(...Array.from({ length: 64 }, (_, index) => (index === 30 ? 'poison' : String(index))));
    const worker = startWork(service, database.pool, marking(failOn('poison')));
    await eventually('63 to be done', async () => (await done()).length === 63);
    expect(await rowOf('poison')).toMatchObject({ done_at: null, work_attempts: 1, work_parked_at: null });
    for (let attempt = 2; attempt <= 5; attempt += 1) {
      await dueNow();
      worker.wake();
      await eventually(`attempt ${attempt}`, async () => (await rowOf('poison')).work_attempts === attempt);
    }
    const { work_failure: failure, work_parked_at: parkedAt } = await rowOf('poison');
    expect(parkedAt).not.toBeNull();
    expect(failure).toMatch(/^TypeError at /);
    expect(failure).not.toContain('secret');
    expect(logged('row parked')).toHaveLength(1);
    const page = await service.metrics.getSingleMetricAsString('sss_work_parked_rows');
    expect(page).toContain('sss_work_parked_rows{work="mark"} 1');
  });

  it('measures how long the oldest row has been due, by the clock of the process that added it', async () => {
    const dueAt = Date.now() - 90_000;
    await database.pool.query(
      `INSERT INTO task (id, label, work_due_at)
       SELECT gen_random_uuid(), n, to_timestamp($1::float8 / 1000) + n * interval '1 minute' FROM generate_series(0, 1) AS n`,
      [dueAt],
    );
    startWork(
      service,
      database.pool,
      marking(() => {
        throw new ConnectError('unavailable', Code.Unavailable);
      }),
    );
    const readAt = Date.now();
    const page = await service.metrics.getSingleMetricAsString('sss_work_oldest_due_age_seconds');
    const ageMs = 1_000 * Number(/\{work="mark"\} (\S+)$/m.exec(page)?.[1]);
    expect(ageMs).toBeGreaterThanOrEqual(readAt - dueAt);
    expect(ageMs).toBeLessThanOrEqual(Date.now() - dueAt + 1);
  });

  it('ignores a parked row until it is released', async () => {
    await add('poison');
    await database.pool.query(
      "UPDATE task SET work_parked_at = now(), work_attempts = 5, work_failure = 'Error'",
    );
    let broken = true;
    const worker = startWork(
      service,
      database.pool,
      marking((task) => broken && failOn('poison')(task)),
    );
    await add('other');
    worker.wake();
    await eventually('the other one', async () => (await done()).length === 1);
    broken = false;
    const { id } = await rowOf('poison');
    expect(await release([id, randomUUID()])).toEqual([id]);
    expect(await rowOf('poison')).toMatchObject({ work_attempts: 0, work_parked_at: null });
    worker.wake();
    await eventually('the released one', async () => (await done()).length === 2);
    expect(await release([id])).toEqual([]);
  });

  it('counts no attempt while a dependency is unavailable, logs that once, and resumes automatically', async () => {
    await add('a', 'b');
    let unavailable = true;
    let runs = 0;
    const work = marking(() => {
      runs += 1;
      if (unavailable) throw new ConnectError('unavailable', Code.Unavailable);
    });
    const worker = startWork(service, database.pool, work);
    await eventually('three tries', () => runs >= 3);
    expect(await rowOf('a')).toMatchObject({ done_at: null, work_attempts: 0 });
    expect(logged('dependency unavailable')).toHaveLength(1);
    unavailable = false;
    await eventually('both', async () => (await done()).length === 2);
    expect(logged('dependency available again')).toHaveLength(1);
    unavailable = true;
    await add('c');
    worker.wake();
    await eventually('the next outage is logged', () => logged('dependency unavailable').length === 2);
  });

  it('counts no attempt when a statement times out because the database is slow for every row', async () => {
    await add('a');
    let late = true;
    const pool = new Proxy(database.pool, {
      get(target, name) {
        const value = Reflect.get(target, name);
        if (name !== 'query') return typeof value === 'function' ? value.bind(target) : value;
        return async (...statement: unknown[]) => {
          // The server completes statements that its client has timed out on.
          const answer = await Reflect.apply(value, target, statement);
          if (late) throw new Error('Query read timeout');
          return answer;
        };
      },
    });
    const work = marking(() => {
      if (late)
        throw Object.assign(new Error('canceling statement due to statement timeout'), { code: '57014' });
    });
    startWork(service, pool, work);
    await eventually('the pause', () => logged('dependency unavailable').length === 1);
    expect(await rowOf('a')).toMatchObject({ done_at: null, work_attempts: 0 });
    late = false;
    await eventually('the row', async () => (await done()).length === 1);
    expect(await rowOf('a')).toMatchObject({ work_attempts: 0, work_failure: null });
  });

  it('counts no attempt for a row that could not be claimed in time', async () => {
    await add('a', 'b');
    const pool = new pg.Pool({
      connectionString: database.databaseUrl,
      pipeline: true,
      statement_timeout: 300,
    });
    pool.on('error', () => {});
    const holder = await database.pool.connect();
    let locked: Promise<unknown> | undefined;
    // Locks the table after the failed set releases it, until a statement has timed out waiting for it.
    const work = marking(() => {
      if (locked) return;
      locked = holder.query('BEGIN; LOCK TABLE task');
      throw new RangeError('broken');
    });
    startWork(service, pool, work);
    await eventually('a statement waited too long', async () => logged('dependency unavailable').length > 0);
    await holder.query('COMMIT');
    holder.release();
    await eventually('both', async () => (await done()).length === 2);
    for (const label of ['a', 'b'])
      expect(await rowOf(label)).toMatchObject({ work_attempts: 0, work_failure: null });
    expect(logged('dependency unavailable')).toHaveLength(1);
    await service.stop();
    await pool.end();
  });

  it('counts a statement timeout for a single row as a failure of that row', async () => {
    await add('slow', 'quick');
    startWork(
      service,
      database.pool,
      marking(({ label }) => {
        if (label === 'slow') throw Object.assign(new Error('timeout'), { code: '57014' });
      }),
    );
    await eventually('the quick one', async () => (await done()).length === 1);
    expect(await rowOf('slow')).toMatchObject({ done_at: null, work_attempts: 1 });
  });

  it('retries a deferred row later without counting an attempt or a busy loop', async () => {
    await add('waits', 'first');
    let ready = false;
    const base = marking(() => {});
    let sets = 0;
    startWork<Task>(service, database.pool, {
      ...base,
      async run(tx, rows) {
        sets += 1;
        const deferred = ready ? [] : rows.filter(({ label }) => label === 'waits');
        await base.run(
          tx,
          rows.filter((row) => !deferred.includes(row)),
        );
        return { deferred: deferred.map(({ id }) => id) };
      },
    });
    await eventually('the first', async () => (await done()).length === 1);
    expect(await rowOf('waits')).toMatchObject({ done_at: null, work_attempts: 0 });
    expect(sets).toBeLessThan(20);
    ready = true;
    await eventually('the other', async () => (await done()).length === 2);
  });

  it('shares rows between processes, each row processed once', async () => {
    await add(...Array.from({ length: 300 }, (_, index) => String(index)));
    const sets: string[][] = [];
    const other = startTestProcess('tasks');
    startWork(
      service,
      database.pool,
      marking(() => {}, sets),
    );
    startWork(
      other,
      database.pool,
      marking(() => {}, sets),
    );
    await eventually('all', async () => (await done()).length === 300);
    await other.stop();
    expect(sets.flat()).toHaveLength(300);
    expect(new Set(sets.flat()).size).toBe(300);
  });

  it('slows down and logs once when every row fails', async () => {
    await add(...Array.from({ length: 80 }, (_, index) => String(index)));
    startWork(
      service,
      database.pool,
      marking(() => {
        throw new RangeError('broken');
      }),
    );
    await eventually('the warning', () => logged('work slowed down').length === 1);
    const failed = await database.pool.query(
      'SELECT count(*)::int AS count FROM task WHERE work_attempts > 0',
    );
    expect(failed.rows[0].count).toBe(64);
  });

  it('does not slow down when a row succeeds between 65 that fail', async () => {
    await add(...Array.from({ length: 66 }, (_, index) => String(index)));
    startWork(
      service,
      database.pool,
      marking(({ label }) => {
        if (label !== '33') throw new RangeError('broken');
      }),
    );
    const tried = 'SELECT count(*)::int AS count FROM task WHERE work_attempts > 0 OR done_at IS NOT NULL';
    await eventually('all rows', async () => (await database.pool.query(tried)).rows[0].count === 66);
    expect(logged('work slowed down')).toEqual([]);
  });
});
