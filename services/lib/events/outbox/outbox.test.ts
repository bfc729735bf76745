import { fromBinary } from '@bufbuild/protobuf';
import { EventEnvelopeSchema } from '@supplier/proto/common/v1/event';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { inTransaction } from '../../data/postgres/index.ts';
import { runInContext } from '../../runtime/request-context/index.ts';
import { eventually } from '../../testing/index.ts';
import { outboxForTests } from '../../testing/test-outbox.ts';
import { newId } from '../../text/ids/index.ts';
import { newEvent } from './index.ts';
import { publishPending } from './publish-pending.ts';
import { publisherOn } from './publisher.ts';

const outbox = outboxForTests();

const heldIds = async () => (await outbox.held()).map(({ eventId }) => eventId);

describe('newEvent', () => {
  it('adds the request id and trace of the cause, and a subject with the given facet', async () => {
    const facts = { aggregateId: newId(), aggregateVersion: 3n, occurredAt: new Date() };
    const context = { requestId: 'request-1', traceParent: 'trace-1' };
    const event = await runInContext(context, async () => newEvent(SubmissionStatusChangedSchema, {}, facts));
    expect(event.subject).toBe('supplier.submission.SubmissionStatusChanged');
    expect(fromBinary(EventEnvelopeSchema, event.envelope)).toMatchObject({
      eventId: event.eventId,
      aggregateVersion: 3n,
      requestId: 'request-1',
      traceParent: 'trace-1',
    });
    expect(newEvent(SubmissionStatusChangedSchema, {}, { ...facts, facet: 'billing' }).subject).toBe(
      'supplier.submission.SubmissionStatusChanged.billing',
    );
  });
});

describe('startRelay', () => {
  it('publishes nothing over a new connection before the guard has checked, even if already claimed', async () => {
    const listeners: (() => void)[] = [];
    const reconnect = () => {
      for (const listener of listeners) listener();
    };
    const bus = {
      connection: () => outbox.nats,
      onConnect: (listener: () => void) => void listeners.push(listener),
    };
    const pool = outbox.pool();
    let claims = 0;
    // Called when a claim has its connection, after the guard: the server is back, perhaps with fewer events.
    pool.on('acquire', (client) => {
      const query = client.query.bind(client) as (...given: unknown[]) => unknown;
      client.query = ((...given: unknown[]) => {
        const [statement] = given;
        if ((statement as { name?: string }).name === 'outbox-claim' && ++claims === 1) reconnect();
        return query(...given);
      }) as typeof client.query;
    });
    const ids = await outbox.commit(3);
    const relay = outbox.relay({ bus, pool });
    reconnect();
    await outbox.settled();
    expect(await heldIds()).toEqual(ids);
    // The claimed events were not sent.
    expect(relay.process.lines).toContainEqual(expect.objectContaining({ msg: 'publishing failed' }));
  });

  it.each([1, 2, 3])(
    'retries failed events in batch %i of three before claiming later ones',
    async (failing) => {
      const listeners: (() => void)[] = [];
      const reconnect = () => {
        for (const listener of listeners) listener();
      };
      const bus = {
        connection: () => outbox.nats,
        onConnect: (listener: () => void) => void listeners.push(listener),
      };
      const pool = outbox.pool();
      const claimedAfter: bigint[] = [];
      pool.on('acquire', (client) => {
        const query = client.query.bind(client) as (...given: unknown[]) => unknown;
        client.query = ((...given: unknown[]) => {
          const [{ name, values }] = given as [{ name?: string; values?: unknown[] }];
          // Nothing is sent over a new connection before the guard has checked, so each event of the batch fails.
          if (name === 'outbox-claim' && claimedAfter.push(BigInt(String(values?.[0]))) === failing)
            reconnect();
          return query(...given);
        }) as typeof client.query;
      });
      const ids = await outbox.commit(600);
      const { rows } = await outbox.database.pool.query<{ first: string }>(
        'SELECT min(seq) AS first FROM outbox',
      );
      const firstOfFailing = BigInt(rows[0]?.first ?? 0) + BigInt(256 * (failing - 1));
      outbox.relay({ bus, pool });
      reconnect();
      await outbox.settled();
      expect(await heldIds()).toEqual(ids);
      expect(claimedAfter[failing]).toBeLessThan(firstOfFailing);
    },
  );

  it('publishes committed events in order and records their stream sequences', async () => {
    const events = Array.from({ length: 600 }, outbox.event);
    await inTransaction(outbox.database.pool, (tx) => outbox.append(tx, events));
    outbox.relay();
    await outbox.settled();
    const held = await outbox.held();
    expect(held.map(({ eventId }) => eventId)).toEqual(events.map(({ eventId }) => eventId));
    expect(held.map(({ data }) => Buffer.from(data))).toEqual(
      events.map(({ envelope }) => Buffer.from(envelope)),
    );
    const { rows } = await outbox.database.pool.query(
      `SELECT p.*, generation FROM published_batch, unnest(event_ids, stream_seqs) AS p (event_id, stream_seq)
        ORDER BY stream_seq`,
    );
    expect(rows).toEqual(
      held.map(({ eventId, seq }) => ({ event_id: eventId, stream_seq: String(seq), generation: 1 })),
    );
  });

  it('publishes nothing from a rolled-back transaction', async () => {
    outbox.relay();
    const failing = inTransaction(outbox.database.pool, async (tx) => {
      await outbox.append(tx, [outbox.event()]);
      throw new Error('changed my mind');
    });
    await expect(failing).rejects.toThrow();
    const kept = await outbox.commit();
    await outbox.settled();
    expect(await heldIds()).toEqual(kept);
  });

  it('finds an event that commits after later ones were published', async () => {
    outbox.relay();
    const late = outbox.event();
    const early = await inTransaction(outbox.database.pool, async (tx) => {
      await outbox.append(tx, [late]);
      const ids = [...(await outbox.commit(300)), ...(await outbox.commit(300))];
      await eventually('the later ones are published', async () => (await outbox.published()) === 600);
      return ids;
    });
    await outbox.settled();
    expect(await heldIds()).toEqual([...early, late.eventId]);
  });

  it('shares the work with another relay: each event is published once under load', async () => {
    const relays = [outbox.relay(), outbox.relay({ pool: outbox.pool() })];
    for (let round = 0; round < 40; round += 1) {
      await Promise.all(Array.from({ length: 10 }, () => outbox.commit(5)));
      for (const relay of relays) relay.wake();
    }
    await outbox.settled();
    const ids = await heldIds();
    expect(ids).toHaveLength(2_000);
    expect(new Set(ids).size).toBe(2_000);
    expect(await outbox.generation()).toBe(1);
    const lines = relays.flatMap(({ process }) => process.lines);
    expect(lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('marks acknowledged events if another in the batch is rejected, and retries that one', async () => {
    await outbox.commit(3);
    await inTransaction(outbox.database.pool, (tx) =>
      outbox.append(tx, [{ ...outbox.event(), subject: 'nobody.takes.this' }]),
    );
    await outbox.commit(3);
    const relay = outbox.relay();
    await eventually('the others are marked', async () => (await outbox.published()) === 6);
    expect(await outbox.pending()).toBe(1);
    expect(await heldIds()).toHaveLength(6);
    expect(relay.process.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', msg: 'publishing failed' }),
    );
  });

  it('publishes events committed just before its process stops', async () => {
    const relay = outbox.relay();
    await outbox.commit();
    await outbox.settled();
    await outbox.commit(300);
    await relay.stop();
    expect(await outbox.pending()).toBe(0);
  });

  it('publishes when the bus connects, well before its poll', async () => {
    const ids = await outbox.commit();
    outbox.relay({ pollMs: 3_600_000 });
    await outbox.settled();
    expect(await heldIds()).toEqual(ids);
  });

  it('scans the outbox when woken, well before its poll', async () => {
    const relay = outbox.relay({ pollMs: 3_600_000 });
    for (let n = 0; n < 5; n += 1) {
      await outbox.commit();
      relay.wake();
      await outbox.settled();
    }
    expect(await outbox.published()).toBe(5);
  });
});

describe('publishPending', () => {
  it('reports the last sequence that it claimed, and whether more may follow', async () => {
    const { stream, nats, database } = outbox;
    await outbox.commit(257);
    const { rows } = await database.pool.query<{ seq: string }>(
      'SELECT seq FROM outbox ORDER BY seq OFFSET 255',
    );
    const [full = 0n, last = 0n] = rows.map(({ seq }) => BigInt(seq));
    const publisher = publisherOn(nats);
    for (const [after, through, more] of [
      [0n, full, true],
      [full, last, false],
      [last, last, false],
    ] as const)
      expect(await publishPending(database.pool, publisher, stream, after)).toMatchObject({ through, more });
  });
});

describe('publisherOn', () => {
  it('returns the result of each event in order', async () => {
    const { stream, nats } = outbox;
    const publisher = publisherOn(nats);
    const stored = (subject: string) => ({
      event_id: newId(),
      type: 'x',
      subject,
      envelope: new Uint8Array(),
    });
    const good = outbox.event().subject;
    const first = stored(good);
    const [a, b, c] = await publisher.publishAll(stream, [first, stored('nobody.takes.this'), stored(good)]);
    expect([a, c]).toEqual([{ streamSeq: 1 }, { streamSeq: 2 }]);
    expect(b).toEqual({ failure: expect.any(Error) });
    // The stream recognises the id and returns the existing sequence.
    expect(await publisher.publishAll(stream, [first])).toEqual([{ streamSeq: 1 }]);
    const [wrong] = await publisher.publishAll('OTHER', [stored(good)]);
    expect(wrong).toEqual({ failure: expect.objectContaining({ code: 10060 }) });
    expect(await publisher.publishAll(stream, [])).toEqual([]);
  });
});
