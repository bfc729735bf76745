import { countStatements, eventually, forAllTests } from '@supplier/lib/testing';
import { toDate } from '@supplier/lib/text/time';
import { Level, Status, type SubmissionStatus } from '@supplier/proto/common/v1/status';
import type pg from 'pg';
import { openTestService } from '../../testing/test-service.ts';

const service = forAllTests(() => openTestService({ clock: 'real' }));

const receivedAt = ({ receivedAt }: SubmissionStatus) =>
  receivedAt ? toDate(receivedAt).getTime() : Number.NaN;
let customers = 0;
const customer = () => {
  customers += 1;
  return { telephone: `0161 496 ${String(customers).padStart(4, '0')}` };
};

interface Gate {
  open(): void;
  readonly opened: Promise<void>;
  waiting: number;
}
function gate(): Gate {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened, waiting: 0 };
}

/** Starts a replica of the service whose pool uses the given `query` and `connect`. */
const replica = (own: (pool: pg.Pool, name: 'query' | 'connect', args: unknown[]) => Promise<unknown>) =>
  openTestService({
    beside: service,
    keyRing: service.context.keyRing,
    clock: 'real',
    through: (pool) =>
      new Proxy(pool, {
        get(target, name) {
          if (name === 'query' || name === 'connect') return (...args: unknown[]) => own(target, name, args);
          const value: unknown = Reflect.get(target, name);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
  });

/** Delays its statements until the gate opens, as in a queue for connections. */
const replicaThatQueues = (before: Gate) =>
  replica(async (pool, name, args) => {
    before.waiting += 1;
    await before.opened;
    return Reflect.apply(pool[name], pool, args);
  });

/** Delays its commits until the gate opens. */
const replicaThatCommitsLate = (commit: Gate) =>
  replica(async (pool, name, args) => {
    if (name === 'query') return Reflect.apply(pool.query, pool, args);
    const client = await pool.connect();
    return new Proxy(client, {
      get(target, property) {
        const value: unknown = Reflect.get(target, property);
        if (typeof value !== 'function') return value;
        return async (...given: unknown[]) => {
          if (property === 'query' && given[0] === 'COMMIT') {
            commit.waiting += 1;
            await commit.opened;
          }
          return Reflect.apply(value, target, given);
        };
      },
    });
  });

describe('two submissions from the same customer', () => {
  it.each([
    ['basic', Level.BASIC],
    ['application', Level.APPLICATION],
  ] as const)(
    'orders one at level %s that waits in a queue after the one that overtakes it',
    async (_, level) => {
      const queue = gate();
      const slow = await replicaThatQueues(queue);
      const enquiry = customer();
      const queued = slow.submit({ level, enquiry });
      await eventually('the first create waits', () => queue.waiting > 0);
      const ahead = await service.submit({ level: Level.BASIC, enquiry });
      queue.open();
      const behind = await queued;
      await service.work();
      expect(ahead.submission.status).toBe(Status.ACCEPTED);
      expect(await service.statusOf(behind.id)).toBe(Status.DUPLICATE_NOT_ACCEPTED);
      expect(receivedAt(behind.submission)).toBeGreaterThanOrEqual(receivedAt(ahead.submission));
      await slow.close();
    },
  );

  it('delays a decision until an earlier submission has been recorded, which wins', async () => {
    const commit = gate();
    const slow = await replicaThatCommitsLate(commit);
    const enquiry = customer();
    const earlier = slow.submit({ level: Level.APPLICATION, enquiry });
    await eventually('the first is recorded', () => commit.waiting > 0);
    const later = service.submit({ level: Level.BASIC, enquiry });
    await eventually('the second waits for the keys of the first', async () => {
      const { rows } = await service.context.pool.query(
        `SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      return rows.length > 0;
    });
    commit.open();
    const [first, second] = [await earlier, await later];
    expect(await service.statusOf(first.id)).toBe(Status.ACCEPTED);
    expect(second.submission.status).toBe(Status.DUPLICATE_NOT_ACCEPTED);
    expect(receivedAt(first.submission)).toBeLessThanOrEqual(receivedAt(second.submission));
    await slow.close();
  });

  it('accepts the first received of thirty concurrent submissions from several replicas', async () => {
    const beside = await openTestService({
      beside: service,
      keyRing: service.context.keyRing,
      clock: 'real',
    });
    const enquiry = customer();
    const made = await Promise.all(
      Array.from({ length: 30 }, (_, n) =>
        (n % 2 === 0 ? service : beside).submit({
          level: n % 3 === 0 ? Level.APPLICATION : Level.BASIC,
          enquiry,
        }),
      ),
    );
    await service.work();
    const statuses = await Promise.all(made.map(({ id }) => service.statusOf(id)));
    const accepted = made.filter((_, index) => statuses[index] === Status.ACCEPTED);
    expect(accepted).toHaveLength(1);
    const earliest = Math.min(...made.map(({ submission }) => receivedAt(submission)));
    expect(receivedAt(accepted[0]!.submission)).toBe(earliest);
    await beside.close();
  });
});

it.each([
  ['application', Level.APPLICATION],
  ['basic', Level.BASIC],
] as const)(
  'a create at level %s is one transaction of seven statements, including its decision',
  async (_, level) => {
    const counts: number[] = [];
    const counting = await replica(async (pool, name, args) => {
      counts.push(name === 'query' ? 1 : 0);
      if (name === 'query') return Reflect.apply(pool.query, pool, args);
      const client = await pool.connect();
      const count = countStatements(client);
      const release = client.release.bind(client);
      client.release = (broken) => {
        counts.push(count());
        client.release = release;
        release(broken);
      };
      return client;
    });
    await counting.submit({ level });
    expect(counts).toEqual([0, 7]);
    await counting.close();
  },
);
