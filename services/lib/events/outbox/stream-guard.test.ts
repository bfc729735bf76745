import type { StreamInfo } from '@nats-io/jetstream';
import { createLogger } from '../../runtime/log/index.ts';
import { eventually } from '../../testing/index.ts';
import { outboxForTests, type TestRelay } from '../../testing/test-outbox.ts';
import { requestReplay } from './index.ts';
import type { OwnPlace } from './publish-pending.ts';
import { publishPending } from './publish-pending.ts';
import { publisherOn } from './publisher.ts';
import { refillChunk } from './refill.ts';
import { guardStream } from './stream-guard.ts';

const outbox = outboxForTests();
beforeEach(() => {
  fill = async () => {};
});

const lines: Record<string, unknown>[] = [];
const log = createLogger('test', 'debug', { write: (line) => lines.push(JSON.parse(line)) });

const ask = async () => {
  await outbox.configure();
  return outbox.manager.streams.info(outbox.stream);
};
let fill = async (_lost: boolean) => {};
const guard = (readStream: () => Promise<StreamInfo> = ask, own?: OwnPlace) =>
  guardStream(
    outbox.database.pool,
    outbox.manager,
    outbox.stream,
    readStream,
    (lost) => fill(lost),
    own,
    log,
  );

/** Waits for acknowledgements without a practical time limit. */
const patientPublisher = () => publisherOn(outbox.nats, { ackTimeoutMs: 2 ** 31 - 1 });

/** Commits events and publishes them like a relay, but without the guard. */
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

/** Returns how often the stream contains each kept event. */
async function timesHeld(): Promise<number[]> {
  const held = Map.groupBy(await outbox.held(), ({ eventId }) => eventId);
  const { rows } = await outbox.database.pool.query(
    `SELECT p.event_id FROM published_batch, unnest(event_ids, stream_seqs) AS p (event_id, stream_seq)
      ORDER BY stream_seq, event_id`,
  );
  return rows.map(({ event_id }) => held.get(event_id)?.length ?? 0);
}

const times = (n: number, value: number) => Array.from({ length: n }, () => value);

describe('guardStream', () => {
  beforeEach(async () => {
    await guard();
    await publish(10);
    await guard();
  });

  it('changes nothing in a complete stream, even after repeated checks', async () => {
    await publish(10);
    await guard();
    await guard();
    expect([await outbox.generation(), await outbox.refills()]).toEqual([1, 0]);
  });

  it("does not mistake another relay's progress for a loss", async () => {
    const before = await ask();
    await guard(async () => {
      // The database was read before; the stream information is either older or newer, and both are correct.
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

  it('refills a deleted stream completely and in order, including events accepted before the check', async () => {
    await outbox.manager.streams.delete(outbox.stream);
    await ask();
    await publish(5);
    await guard();
    expect(await outbox.generation()).toBe(2);
    await refill();
    expect(Math.min(...(await timesHeld()))).toBe(1);
    const held = await outbox.held();
    const refilled = held.slice(5).map(({ eventId }) => eventId);
    expect(refilled).toEqual(refilled.toSorted());
    const { rows } = await outbox.database.pool.query(
      'SELECT checkpoint_seq::int AS seq, checkpoint_message_id AS "messageId" FROM outbox_stream',
    );
    expect(held.at(-1)).toMatchObject(rows[0]);
  });

  it('refills a purged stream completely, even if later events were published', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    await publish(600);
    await guard();
    expect(await outbox.generation()).toBe(2);
    await refill();
    expect(Math.min(...(await timesHeld()))).toBe(1);
    await guard();
    expect([await outbox.generation(), await outbox.refills()]).toEqual([2, 0]);
  });

  it('refills only the lost end of a stream, after the last event it still contains', async () => {
    await publish(10);
    for (const seq of [18, 19, 20]) await outbox.manager.streams.deleteMessage(outbox.stream, seq);
    await guard();
    await refill();
    // The checkpoint is the tenth event: everything before it is present.
    expect(await timesHeld()).toEqual([...times(10, 1), ...times(7, 2), ...times(3, 1)]);
  });

  it("detects the loss of this process's own events, even after many later ones", async () => {
    const own = await publish(10);
    for (let seq = 11; seq <= 20; seq += 1) await outbox.manager.streams.deleteMessage(outbox.stream, seq);
    for (let n = 0; n < 3; n += 1) await publish(256);
    await guard(ask, own);
    await refill();
    expect(Math.min(...(await timesHeld()))).toBe(1);
    // The same process does not take its old place for another loss in the next generation.
    await guard(ask, own);
    expect(await outbox.generation()).toBe(2);
  });

  it('keeps the events before the anchor if both the checkpoint and the end are lost', async () => {
    await publish(10);
    await guard();
    await publish(10);
    await guard();
    for (let seq = 15; seq <= 30; seq += 1) await outbox.manager.streams.deleteMessage(outbox.stream, seq);
    await guard();
    await refill();
    expect(await timesHeld()).toEqual([...times(10, 1), ...times(4, 2), ...times(16, 1)]);
  });

  it('treats two acknowledgements of one sequence as the loss of the first event', async () => {
    await publish(5);
    // Simulates a stream that went back by two events and then accepted two more.
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

  it('records a loss only after lost places are filled, so that the next relay can do both', async () => {
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

  it('does not treat expired messages as lost', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    await outbox.database.pool.query(`
      UPDATE published_batch SET published_at = now() - interval '8 days';
      UPDATE outbox_stream SET checkpoint_at = now() - interval '8 days'`);
    await guard();
    expect([await outbox.generation(), await outbox.refills()]).toEqual([1, 0]);
  });

  it('records one refill per loss, even if several relays find it simultaneously', async () => {
    await outbox.manager.streams.purge(outbox.stream);
    await Promise.all([guard(), guard(), guard()]);
    expect([await outbox.generation(), await outbox.refills()]).toEqual([2, 1]);
    await refill();
    await outbox.manager.streams.purge(outbox.stream);
    await guard(async () => {
      const seen = await ask();
      // Another relay finds the loss first and completes its refill before this one reaches the same result.
      await guard();
      await refill();
      return seen;
    });
    expect([await outbox.generation(), await outbox.refills()]).toEqual([3, 0]);
  });

  it('refills events that another relay was marking as published when the loss was found', async () => {
    await outbox.commit(5);
    const publisher = patientPublisher();
    const { pool } = outbox.database;
    // The stream is lost, and the loss found, between the acknowledgement of these events and their marking.
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

describe('refillChunk', () => {
  const CHUNK = 256;

  /** Returns a pool whose refills wait at `gate` before chunk number `at`; records the most rows of any statement. */
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

  it('proceeds in bounded steps, with new events in between', async () => {
    const kept = 2_000;
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

  it('resumes after its relay ends, even if the last chunk was not recorded', async () => {
    await outbox.fillPublished(2_000);
    const { pool, seen } = watchedPool(5);
    const first = outbox.relay({ pool });
    await eventually('the fifth step has begun', () => seen.chunks === 5);
    const stopped = first.stop();
    seen.gate.resolve();
    await stopped;
    expect(await outbox.refills()).toBe(1);
    // Simulates a process killed after publishing the last chunk but before its commit.
    await outbox.database.pool.query(
      `UPDATE outbox_refill SET after_batch_id = (
         SELECT batch_id FROM published_batch WHERE batch_id < after_batch_id ORDER BY batch_id DESC OFFSET 255 LIMIT 1)`,
    );
    outbox.relay();
    await outbox.settled();
    expect((await outbox.manager.streams.info(outbox.stream)).state.messages).toBe(2_000);
  });

  it('runs in one relay at a time', async () => {
    await outbox.fillPublished(2_000);
    const relays = [outbox.relay(), outbox.relay({ pool: outbox.pool() })];
    const completed = () =>
      relays.flatMap(({ process }) => process.lines.filter(({ msg }) => msg === 'stream refill completed'));
    await eventually('it is completed', () => completed().length > 0);
    expect((await outbox.manager.streams.info(outbox.stream)).state.messages).toBe(2_000);
    expect(await outbox.generation()).toBe(1);
    expect(completed()).toHaveLength(1);
  });

  it('republishes events since the time given to a replay', async () => {
    await guard();
    await publish(10);
    const since = new Date(Date.now() + 1);
    await eventually('it is later', () => new Date() > since);
    await publish(4);
    // As if the clock of the relay that published them were behind.
    await outbox.database.pool.query(
      `UPDATE published_batch SET batch_id = event_id_floor(now() - interval '30 s') WHERE cardinality(event_ids) = 4`,
    );
    expect(await requestReplay(outbox.database.pool, since)).toBe(4);
    await refill();
    expect(await timesHeld()).toEqual([...times(10, 1), ...times(4, 2)]);
    expect(await requestReplay(outbox.database.pool, new Date(Date.now() + 60_000))).toBe(0);
    expect(await outbox.refills()).toBe(0);
  });
});

describe('startRelay with a lost stream', () => {
  const linesOf = (relay: TestRelay, msg: string) => relay.process.lines.filter((line) => line.msg === msg);

  it('waits while the stream is missing, says so once, and refills it when it is there again', async () => {
    await outbox.commit(300);
    const relay = outbox.relay({ pollMs: 20 });
    await outbox.settled();
    await outbox.manager.streams.delete(outbox.stream);
    await outbox.commit(1);
    await eventually('it says so', () => linesOf(relay, 'event stream missing').length > 0);
    expect(await relay.process.metrics.metrics()).toContain(
      `sss_stream_deviations{stream="${outbox.stream}"} 1`,
    );
    expect(await outbox.pending()).toBe(1);
    await outbox.configure();
    await eventually(
      'the stream holds every event again',
      async () => (await outbox.manager.streams.info(outbox.stream)).state.messages === 301,
    );
    expect(linesOf(relay, 'event stream missing')).toHaveLength(1);
    expect(linesOf(relay, 'event stream as expected again')).toHaveLength(1);
    expect(relay.process.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'stream lost events', stream: outbox.stream }),
    );
  });

  it('publishes nothing while the stream copies its events elsewhere, and everything once it is repaired', async () => {
    const { manager, stream } = outbox;
    await manager.streams.update(stream, { republish: { src: '>', dest: 'elsewhere.>' } });
    await outbox.commit(3);
    const relay = outbox.relay({ pollMs: 20 });
    await eventually('it says so', () => linesOf(relay, 'event stream configuration unexpected').length > 0);
    expect(linesOf(relay, 'event stream configuration unexpected')).toMatchObject([
      { level: 'error', stream, reason: 'stream.republish' },
    ]);
    await relay.stop();
    expect(await outbox.held()).toEqual([]);
    expect(await outbox.configure()).toBe('updated: republish');
    outbox.relay();
    await outbox.settled();
    expect(await outbox.held()).toHaveLength(3);
  });
});
