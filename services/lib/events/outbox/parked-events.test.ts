import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { inTransaction } from '../../data/postgres/index.ts';
import { eventually } from '../../testing/index.ts';
import { outboxForTests } from '../../testing/test-outbox.ts';
import { requestReplay } from './index.ts';
import { listParkedOutboxEvents, releaseParkedOutboxEvents } from './parked-events.ts';

const REDRIVE = fileURLToPath(new URL('../event-bus/redrive.ts', import.meta.url));

const outbox = outboxForTests();

const heldIds = async () => (await outbox.held()).map(({ eventId }) => eventId);

async function redrive(...args: string[]): Promise<string> {
  const env = { ...process.env, SSS_DEPLOYMENT: 'local', SSS_DATABASE_URL: outbox.database.databaseUrl };
  return (await promisify(execFile)(process.execPath, [REDRIVE, '--outbox', ...args], { env })).stdout;
}

/** Commits an event of that many bytes between others, followed by one of the same aggregate. */
async function commitAmongOthers(byteSize: number) {
  const before = await outbox.commit(3);
  const large = { ...outbox.event(), envelope: new Uint8Array(byteSize) };
  const next = { ...outbox.event(), aggregateId: large.aggregateId };
  await inTransaction(outbox.database.pool, (tx) => outbox.append(tx, [large, next]));
  return { large, others: [...before, next.eventId, ...(await outbox.commit(3))] };
}

it('parked events are listed and released oldest first when there are more than fit', async () => {
  const { pool } = outbox.database;
  const ids = await outbox.commit(5);
  await pool.query("UPDATE outbox SET parked_at = now(), failure = 'too large'");
  const left = async (max: number) => (await listParkedOutboxEvents(pool, max)).map(({ eventId }) => eventId);
  expect(await left(2)).toEqual(ids.slice(0, 2));
  expect(await releaseParkedOutboxEvents(pool, 2)).toBe(2);
  expect(await left(9)).toEqual(ids.slice(2));
});

describe("event larger than the server's limit", () => {
  it('is parked and reported, while later events, even of its aggregate, are published', async () => {
    const { large, others } = await commitAmongOthers(2 * (outbox.nats.info?.max_payload ?? 0));
    const relay = outbox.relay();
    await eventually('the others are published', async () => (await outbox.published()) === others.length);
    expect(await heldIds()).toEqual(others);
    await eventually('it is parked', async () => (await redrive('--list')).includes(large.eventId));
    const [line, ...more] = relay.process.lines.filter(({ msg }) => msg === 'outbox event parked');
    expect(line).toMatchObject({ level: 'error', event_id: large.eventId, event_type: large.type });
    expect(more).toEqual([]);
    const page = await relay.process.metrics.metrics();
    expect(page).toMatch(/^sss_outbox_parked_events 1$/m);
    expect(page).toMatch(/^sss_outbox_unpublished_events 0$/m);
    expect(page).toMatch(/^sss_outbox_oldest_unpublished_age_seconds 0$/m);
  });
});

describe("event larger than the stream's limit", () => {
  it('is parked, listed, and published after its release once the stream accepts it', async () => {
    const relay = outbox.relay();
    const first = await outbox.commit();
    await outbox.settled();
    const { config } = await outbox.manager.streams.info(outbox.stream);
    await outbox.manager.streams.update(outbox.stream, { ...config, max_msg_size: 2_000 });
    const { large, others } = await commitAmongOthers(4_000);
    relay.wake();
    await eventually('the others are published', async () => (await outbox.published()) === 8);
    expect(await heldIds()).toEqual([...first, ...others]);

    const { events } = JSON.parse(await redrive('--list', '--json'));
    expect(events).toEqual([
      {
        eventId: large.eventId,
        type: large.type,
        aggregateId: large.aggregateId,
        byteSize: 4_000,
        failure: expect.stringContaining('message size exceeds maximum allowed'),
        ageSeconds: expect.any(Number),
      },
    ]);
    await outbox.manager.streams.update(outbox.stream, { ...config, max_msg_size: -1 });
    expect(await redrive()).toBe('1 parked events of the outbox will be published again\n');
    await outbox.settled();
    expect(await heldIds()).toEqual([...first, ...others, large.eventId]);
  });

  it('is parked during a replay without blocking it', async () => {
    const since = new Date(Date.now() - 60_000);
    outbox.relay();
    const { large, others } = await commitAmongOthers(4_000);
    await outbox.settled();
    const { config } = await outbox.manager.streams.info(outbox.stream);
    await outbox.manager.streams.update(outbox.stream, { ...config, max_msg_size: 2_000 });
    expect(await requestReplay(outbox.database.pool, since)).toBe(8);
    await eventually('it is done', async () => (await outbox.refills()) === 0);
    const ids = await heldIds();
    expect(ids.filter((id) => others.includes(id))).toHaveLength(2 * others.length);
    expect(ids.filter((id) => id === large.eventId)).toHaveLength(1);
    expect(await redrive('--list')).toContain(large.eventId);
  });
});
