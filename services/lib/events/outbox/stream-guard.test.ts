import type { StreamInfo } from '@nats-io/jetstream';
import { createLogger } from '../../runtime/log/index.ts';
import { eventually } from '../../testing/index.ts';
import { openTestOutbox, type TestOutbox } from '../../testing/test-outbox.ts';
import { DEFAULT_STREAM_SETTINGS } from '../event-bus/streams.ts';
import { requestReplay } from './index.ts';
import type { OwnPlace } from './publish-pending.ts';
import { publishPending } from './publish-pending.ts';
import { publisherOn } from './publisher.ts';
import { refillChunk } from './refill.ts';
import { findOrCreateStream } from './stream-config.ts';
import { guardStream } from './stream-guard.ts';

let outbox: TestOutbox;
beforeEach(async () => {
  outbox = await openTestOutbox();
  fill = async () => {};
});
afterEach(() => outbox.close());

const lines: Record<string, unknown>[] = [];
const log = createLogger('test', 'debug', { write: (line) => lines.push(JSON.parse(line)) });

const ask = () => findOrCreateStream(outbox.manager, outbox.stream, DEFAULT_STREAM_SETTINGS);
let fill = async (_lost: boolean) => {};
const guard = (readStream: () => Promise<StreamInfo> = ask, own?: OwnPlace) =>
  guardStream(
    outbox.database.pool,
    outbox.manager,
    outbox.stream,
    { readStream, fill: (lost) => fill(lost) },
    own,
    log,
  );

/** Waits for acknowledgements as long as the machine needs. */
const patientPublisher = () => publisherOn(outbox.nats, undefined, 2 ** 31 - 1);

/** Commits events and publishes them as a relay does, without its guard. */
async function publish(count: number): Promise<OwnPlace | undefined> {
  await outbox.commit(count);
  const publisher = patientPublisher();
  const scan = await publishPending(outbox.database.pool, publisher, outbox.stream, 0n);
  expect(scan.failure).toBeUndefined();
  return scan.furthest;
}

async function refill(): Promise<void> {
  const publisher = patientPublisher();
  const reports = { log, reportParked: () => {} };
  while ((await refillChunk(outbox.database.pool, publisher, outbox.stream, reports)) !== 'idle');
}

/** How often each kept event lies in the stream. */
async function timesHeld(): Promise<number[]> {
  const held = Map.groupBy(await outbox.held(), ({ eventId }) => eventId);
  const { rows } = await outbox.database.pool.query(
    `SELECT p.event_id FROM published_batch, unnest(event_ids, stream_seqs) AS p (event_id, stream_seq)
      ORDER BY stream_seq, event_id`,
  );
  return rows.map(({ event_id }) => held.get(event_id)?.length ?? 0);
}

const times = (n: number, value: number) => Array.from({ length: n }, () => value);

describe('a stream', () => {
  beforeEach(async () => {
    await guard();
    await publish(10);
    await guard();
  });

  it('that holds everything is left alone, however often it is looked at', async () => {
    await publish(10);
    await guard();
    await guard();
    expect([await outbox.generation(), await outbox.refills()]).toEqual([1, 0]);
  });

  it('in which another relay has published meanwhile is not taken for one that lost events', async () => {
    const before = await ask();
    await guard(async () => {
      // What this relay knows was read; what the stream says is old when it comes, or new: both are true.
      await publish(300);
      await guard();
      return before;
    });
    await guard(async () => {
      await publish(5);
      return ask();
    });
    expect([await outbox.generation(), await outbox.refills()]).toEqual([1, 0]);
  });

  it('that was deleted gets everything again, also what it took before anybody looked', async () => {
    await outbox.manager.streams.delete(outbox.stream);
    await ask();
    await publish(5);
    await guard();
    expect(await outbox.generation()).toBe(2);
    await refill();
    expect(Math.min(...(await timesHeld()))).toBe(1);
  });

  it('that was purged gets everything again, although later events were published to it', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    await publish(600);
    await guard();
    expect(await outbox.generation()).toBe(2);
    await refill();
    expect(Math.min(...(await timesHeld()))).toBe(1);
    await guard();
    expect([await outbox.generation(), await outbox.refills()]).toEqual([2, 0]);
  });

  it('that lost its end gets that again, and not what lies before an event that it still has', async () => {
    await publish(10);
    for (const seq of [18, 19, 20]) await outbox.manager.streams.deleteMessage(outbox.stream, seq);
    await guard();
    await refill();
    // The checkpoint is the tenth: what lies before it is there.
    expect(await timesHeld()).toEqual([...times(10, 1), ...times(7, 2), ...times(3, 1)]);
  });

  it('that lost what this process published is found out, although so much came later that the log does not show it', async () => {
    const own = await publish(10);
    for (let seq = 11; seq <= 20; seq += 1) await outbox.manager.streams.deleteMessage(outbox.stream, seq);
    for (let n = 0; n < 3; n += 1) await publish(256);
    await guard(ask, own);
    await refill();
    expect(Math.min(...(await timesHeld()))).toBe(1);
    // The same process, in the next generation, does not take its old place for another loss.
    await guard(ask, own);
    expect(await outbox.generation()).toBe(2);
  });

  it('that lost both checkpoint and end keeps what lies before the anchor', async () => {
    await publish(10);
    await guard();
    await publish(10);
    await guard();
    for (let seq = 15; seq <= 30; seq += 1) await outbox.manager.streams.deleteMessage(outbox.stream, seq);
    await guard();
    await refill();
    expect(await timesHeld()).toEqual([...times(10, 1), ...times(4, 2), ...times(16, 1)]);
  });

  it('that has acknowledged two events at one place lost the first of them', async () => {
    await publish(5);
    // As if the stream had gone back by two, and taken as many since.
    await outbox.database.pool.query(
      'UPDATE published_batch SET stream_seqs = array_replace(stream_seqs, 12, 14)',
    );
    await guard();
    await refill();
    const held = Map.groupBy(await outbox.held(), ({ eventId }) => eventId);
    expect([...held.values()].map(({ length }) => length)).toEqual([...times(10, 1), ...times(5, 2)]);
    await guard();
    expect(await outbox.generation()).toBe(2);
  });

  it('has its loss recorded once lost places are filled: a relay that ends before leaves both to the next', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    fill = () => Promise.reject(new Error('ended'));
    await expect(guard()).rejects.toThrow('ended');
    expect([await outbox.generation(), await outbox.refills()]).toEqual([1, 0]);
    const asked: boolean[] = [];
    fill = async (lost) => void asked.push(lost);
    await guard();
    await guard();
    expect([await outbox.generation(), await outbox.refills()]).toEqual([2, 1]);
    expect(asked).toEqual([true, false]);
  });

  it('whose messages are gone because of their age has lost nothing', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    await outbox.database.pool.query(`
      UPDATE published_batch SET published_at = now() - interval '8 days';
      UPDATE outbox_stream SET checkpoint_at = now() - interval '8 days'`);
    await guard();
    expect([await outbox.generation(), await outbox.refills()]).toEqual([1, 0]);
  });

  it('that loses events again while it is refilled gets all of them', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    await guard();
    await refill();
    await outbox.manager.streams.purge(outbox.stream);
    await guard();
    expect(await outbox.generation()).toBe(3);
    await refill();
    expect(await timesHeld()).toEqual(times(10, 1));
  });

  it('has one refill of a loss, though several relays find it at once', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    await Promise.all([guard(), guard(), guard()]);
    expect([await outbox.generation(), await outbox.refills()]).toEqual([2, 1]);
    await refill();
    await outbox.manager.streams.purge(outbox.stream);
    await guard(async () => {
      const seen = await ask();
      // Another relay finds the loss first, and is done with it before this one comes to the same result.
      await guard();
      await refill();
      return seen;
    });
    expect([await outbox.generation(), await outbox.refills()]).toEqual([3, 0]);
  });

  it('is refilled with what another relay was marking as published when the loss was found', async () => {
    await outbox.commit(5);
    const publisher = patientPublisher();
    const { pool } = outbox.database;
    // The stream is lost, and found to be, between the acknowledgement of these events and their marking.
    await publishPending(
      pool,
      {
        ...publisher,
        async publishAll(...args) {
          const answers = await publisher.publishAll(...args);
          await outbox.manager.streams.purge(outbox.stream);
          await guard();
          return answers;
        },
      },
      outbox.stream,
      0n,
    );
    expect(await outbox.pending()).toBe(5);
    await publish(0);
    await refill();
    expect(await timesHeld()).toEqual(times(15, 1));
  });
});

describe('a refill', () => {
  const CHUNK = 256;

  /** A pool whose refills wait at `gate` before chunk number `at`, and the most rows that one statement was about. */
  function watchedPool(at: number) {
    const gate = Promise.withResolvers<void>();
    const seen = { chunks: 0, mostRows: 0, gate };
    const pool = outbox.pool();
    pool.on('connect', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      Object.assign(client, {
        async query(...args: unknown[]) {
          const [statement] = args as [{ name?: string }];
          if (statement?.name === 'outbox-refill-chunk') {
            seen.chunks += 1;
            if (seen.chunks === at) await gate.promise;
          }
          const result = (await query(...args)) as { rowCount?: number } | undefined;
          seen.mostRows = Math.max(seen.mostRows, result?.rowCount ?? 0);
          return result;
        },
      });
    });
    return { pool, seen };
  }

  it('goes on in bounded steps, with new events between them', async () => {
    const kept = 5_000;
    await outbox.fillPublished(kept);
    const sizes = `SELECT sum(pg_total_relation_size(inhrelid)) AS bytes FROM pg_inherits
                   WHERE inhparent IN ('domain_event'::regclass, 'published_batch'::regclass)`;
    const before = Number((await outbox.database.pool.query(sizes)).rows[0].bytes);
    const { pool, seen } = watchedPool(2);
    outbox.relay({ pool });
    await eventually('the second step has begun', () => seen.chunks === 2);
    const [fresh] = await outbox.commit();
    seen.gate.resolve();
    await outbox.settled();
    const held = await outbox.held();
    expect(held).toHaveLength(kept + 1);
    expect(new Set(held.map(({ eventId }) => eventId)).size).toBe(kept + 1);
    expect(held.findIndex(({ eventId }) => eventId === fresh)).toBe(2 * CHUNK);
    expect(seen.mostRows).toBe(CHUNK);
    const after = Number((await outbox.database.pool.query(sizes)).rows[0].bytes);
    expect(after / before).toBeLessThan(1.05);
  });

  it('goes on where it was when its relay ends, also where the last chunk was not noted', async () => {
    await outbox.fillPublished(5_000);
    const { pool, seen } = watchedPool(5);
    const first = outbox.relay({ pool });
    await eventually('the fifth step has begun', () => seen.chunks === 5);
    const stopped = first.stop();
    seen.gate.resolve();
    await stopped;
    expect(await outbox.refills()).toBe(1);
    // As if the last chunk had been published and the process killed before its commit.
    await outbox.database.pool.query(
      `UPDATE outbox_refill SET after_batch_id = (
         SELECT batch_id FROM published_batch WHERE batch_id < after_batch_id ORDER BY batch_id DESC OFFSET 255 LIMIT 1)`,
    );
    outbox.relay();
    await outbox.settled();
    expect((await outbox.manager.streams.info(outbox.stream)).state.messages).toBe(5_000);
  });

  it('is made by one relay at a time', async () => {
    await outbox.fillPublished(5_000);
    const relays = [outbox.relay(), outbox.relay({ pool: outbox.pool() })];
    const completed = () =>
      relays.flatMap(({ process }) => process.lines.filter(({ msg }) => msg === 'stream refill completed'));
    await eventually('it is completed', () => completed().length > 0);
    expect((await outbox.manager.streams.info(outbox.stream)).state.messages).toBe(5_000);
    expect(await outbox.generation()).toBe(1);
    expect(completed()).toHaveLength(1);
  });

  it('is requested for what was made since a time by a replay', async () => {
    await guard();
    await publish(10);
    const since = new Date(Date.now() + 1);
    await eventually('it is later', () => new Date() > since);
    await publish(4);
    expect(await requestReplay(outbox.database.pool, since)).toBe(4);
    await refill();
    expect(await timesHeld()).toEqual([...times(10, 1), ...times(4, 2)]);
    expect(await requestReplay(outbox.database.pool, new Date(Date.now() + 60_000))).toBe(0);
    expect(await outbox.refills()).toBe(0);
  });
});

describe('the relay', () => {
  it('refills a stream that was deleted with all its events, without being asked', async () => {
    await outbox.commit(300);
    const relay = outbox.relay();
    await outbox.settled();
    await outbox.manager.streams.delete(outbox.stream);
    await outbox.commit(1);
    await eventually(
      'the stream holds every event again',
      async () =>
        (await outbox.manager.streams.info(outbox.stream).catch(() => undefined))?.state.messages === 301,
    );
    expect(relay.process.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'stream lost events', stream: outbox.stream }),
    );
  });
});
