import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket, createServer, type Socket } from 'node:net';
import { jetstream } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { type NatsAccess, natsConnectOptions } from '../../runtime/nats-access/index.ts';
import { currentContext } from '../../runtime/request-context/index.ts';
import { eventually, testNats, timed } from '../../testing/index.ts';
import { streamForTests } from '../../testing/test-stream.ts';
import { newId } from '../../text/ids/index.ts';

/** Opens a proxy to a server whose connections can be cut. */
async function openProxy(
  target: NatsAccess,
): Promise<{ access: NatsAccess; cut(): void; close(): Promise<void> }> {
  const { hostname, port } = new URL(target.url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connectSocket({ host: hostname, port: Number(port) });
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => [near, far].map((either) => either.destroy()));
    }
    near.pipe(far).pipe(near);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    access: { ...target, url: target.url.replace(`:${port}`, `:${(server.address() as AddressInfo).port}`) },
    cut,
    async close() {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

describe('startConsumer', () => {
  const test = streamForTests();

  const allApplied = (ids: readonly string[], consumer?: string) =>
    eventually('all are applied', async () => (await test.applied(consumer)).length >= ids.length);
  const acknowledged = () =>
    eventually('all are acknowledged', async () => {
      const info = await test.manager.consumers.info(test.stream, 'tester').catch(() => undefined);
      return info?.num_ack_pending === 0 && info.num_pending === 0;
    });

  it('applies events that arrive during a commit as one set, in order', async () => {
    const ids = await test.publish(200);
    const sizes: number[] = [];
    test.consume({ before: (events) => void sizes.push(events.length) });
    await allApplied(ids);
    expect(await test.applied()).toEqual(ids);
    expect(Math.max(...sizes)).toBe(64);
    await acknowledged();
  });

  it('runs the returned hook after the commit', async () => {
    let seen: unknown;
    const { pool } = test.consume({
      async apply(tx, [event]) {
        await tx.query('INSERT INTO effect (consumer, event_id) VALUES ($1, $2)', ['tester', event?.id]);
        return () => {
          seen = test.applied();
        };
      },
    });
    expect(pool).toBeDefined();
    const ids = await test.publish(1);
    await eventually('it follows', () => seen !== undefined);
    expect(await seen).toEqual(ids);
  });

  it('applies an event once, even if it arrives twice in a set and again later', async () => {
    const event = test.eventOf('supplier.submission.v1.SubmissionStatusChanged');
    const first = await test.publish(1);
    await test.publishRaw(event.data);
    await test.publishRaw(event.data);
    const sizes: number[] = [];
    const { process } = test.consume({
      before: async (events) => {
        sizes.push(events.length);
        if (sizes.length > 1) return;
        await eventually('all are delivered', async () => {
          const { num_ack_pending } = await test.manager.consumers.info(test.stream, 'tester');
          return num_ack_pending === 3;
        });
      },
    });
    await acknowledged();
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(2);
    await test.publishRaw(event.data);
    const last = await test.publish(1);
    await eventually('the last is applied', async () => (await test.applied()).includes(last[0] ?? ''));
    expect(await test.applied()).toEqual([...first, event.id, ...last]);
    expect(await process.metrics.metrics()).toContain(
      `sss_consumed_events_total{consumer="tester",stream="${test.stream}",outcome="duplicate"} 1`,
    );
  });

  it('reports its lag, with counters that start at zero', async () => {
    const held = Promise.withResolvers<void>();
    const { process } = test.consume({ before: () => held.promise });
    await test.publish(3);
    const { consumers } = test.manager;
    await eventually('all are delivered', async () => {
      const info = await consumers.info(test.stream, 'tester').catch(() => undefined);
      return info?.num_ack_pending === 3;
    });
    const page = await process.metrics.metrics();
    const of = `{consumer="tester",stream="${test.stream}"}`;
    expect(page).toContain(`sss_consumer_pending_events${of} 0`);
    expect(page).toContain(`sss_consumer_unacknowledged_events${of} 3`);
    expect(page).toContain(`sss_consumer_redelivered_events${of} 0`);
    expect(page).toContain('sss_nats_connected 1');
    expect(page).toContain('sss_failed_events{consumer="tester",state="parked"} 0');
    expect(page).toContain(
      `sss_consumed_events_total{consumer="tester",stream="${test.stream}",outcome="parked"} 0`,
    );
    held.resolve();
    await acknowledged();
  });

  it('gives each event the context of its cause', async () => {
    const aggregate = newId();
    await test.publish(1, aggregate);
    const contexts: (string | undefined)[] = [];
    test.consume({
      before: ([event]) => void contexts.push(event?.context.requestId, currentContext()?.requestId),
    });
    await eventually('it is applied', () => contexts.length > 0);
    expect(contexts).toEqual([`of ${aggregate}`, `of ${aggregate}`]);
  });

  it('receives only its own subject', async () => {
    await test.publishRaw(test.eventOf('supplier.submission.v1.Other').data, 'Other');
    const ids = await test.publish(1);
    test.consume();
    await allApplied(ids);
    expect(await test.failed()).toEqual([]);
    await acknowledged();
  });

  it('shares a durable with another process, each event applied once', async () => {
    const takers = new Set<number>();
    test.consume({ before: () => void takers.add(1) });
    test.consume({ before: () => void takers.add(2) });
    const ids = (await Promise.all(Array.from({ length: 10 }, () => test.publish(100)))).flat();
    await allApplied(ids);
    expect((await test.applied()).toSorted()).toEqual(ids.toSorted());
    expect(takers.size).toBe(2);
  });

  it('resumes after its stream is wiped and refilled, applying nothing twice', async () => {
    const { process } = test.consume();
    const events = Array.from({ length: 20 }, () =>
      test.eventOf('supplier.submission.v1.SubmissionStatusChanged'),
    );
    for (const { data } of events) await test.publishRaw(data);
    await allApplied(events.map(({ id }) => id));
    const { config } = await test.manager.streams.info(test.stream);
    await test.manager.streams.delete(test.stream);
    await test.manager.streams.add(config);
    await test.configure();
    for (const { data } of events) await test.publishRaw(data);
    const ids = await test.publish(1);
    await eventually(
      'the new one is applied',
      async () => (await test.applied()).length > events.length,
      20_000,
    );
    expect(await test.applied()).toEqual([...events.map(({ id }) => id), ...ids]);
    expect(process.lines.filter(({ msg }) => msg === 'consumer started').length).toBeGreaterThan(1);
  });

  it('waits while its durable is missing, says so once, and resumes', async () => {
    const { process } = test.consume();
    const first = await test.publish(1);
    await allApplied(first);
    await test.manager.consumers.delete(test.stream, 'tester');
    const second = await test.publish(1);
    const said = () => process.lines.filter(({ msg }) => msg === 'event stream missing');
    await eventually('it says so', () => said().length > 0);
    await test.configure();
    await eventually('it is applied', async () => (await test.applied()).length === 2);
    expect(await test.applied()).toEqual([...first, ...second]);
    expect(said()).toMatchObject([{ level: 'warn', consumer: 'tester', reason: 'durable.missing' }]);
  });

  it.each([
    ['its stream copies events from another', 'stream.sources'],
    ['its stream copies events elsewhere', 'stream.republish'],
  ])('stops while %s, says so once, and resumes when it is repaired', async (_, reason) => {
    const { process } = test.consume({ checkEveryMs: 0 });
    const first = await test.publish(1);
    await allApplied(first);
    const foreign = {
      'stream.sources': { sources: [{ name: 'SOMEBODY' }] },
      'stream.republish': { republish: { src: '>', dest: 'elsewhere.>' } },
    }[reason];
    await test.manager.streams.update(test.stream, { ...foreign });
    const said = () => process.lines.filter(({ msg }) => msg === 'event stream configuration unexpected');
    await eventually('it says so', () => said().length > 0);
    const second = await test.publish(3);
    const gauge = () => process.metrics.metrics();
    expect(await gauge()).toContain(`sss_stream_deviations{stream="${test.stream}"} 1`);
    expect(await test.applied()).toEqual(first);
    await test.manager.streams.update(test.stream, { sources: undefined, republish: undefined } as object);
    await allApplied([...first, ...second]);
    expect(said()).toMatchObject([{ level: 'error', stream: test.stream, reason }]);
    expect(await gauge()).toContain(`sss_stream_deviations{stream="${test.stream}"} 0`);
  });

  it.each([
    ['delivers to a subject', { deliver_subject: 'elsewhere' }],
    ['takes other subjects', { filter_subject: 'supplier.>' }],
  ])('consumes nothing through a durable that %s', async (_, change) => {
    await test.manager.consumers.delete(test.stream, 'tester');
    await test.manager.consumers.add(test.stream, {
      ...{ durable_name: 'tester', ack_policy: 'explicit', deliver_policy: 'all', max_deliver: -1 },
      ...{ filter_subject: test.subject, ...change },
    });
    const ids = await test.publish(1);
    const { process } = test.consume();
    const [part] = Object.keys(change);
    await eventually('it says so', () => process.lines.some(({ reason }) => reason === `durable.${part}`));
    expect(await test.applied()).toEqual([]);
    await test.configure();
    await allApplied(ids);
  });

  it('resumes after the loss of the bus when it reconnects, well before its retry', async () => {
    const bus = await openProxy(testNats());
    const consumer = test.consume({ nats: bus.access, retryMs: 3_600_000 });
    const first = await test.publish(1);
    await allApplied(first);
    bus.cut();
    const second = await test.publish(100);
    await allApplied([...first, ...second]);
    expect(await test.applied()).toEqual([...first, ...second]);
    expect(consumer.process.lines.filter(({ msg }) => msg === 'consumer started')).toHaveLength(2);
    await consumer.stop();
    await bus.close();
  });

  it('loses nothing when stopped under load and releases buffered events promptly', async () => {
    const publishing = Promise.all(Array.from({ length: 30 }, () => test.publish(30)));
    const first = test.consume();
    await eventually('it is busy', async () => (await test.applied()).length > 0);
    await first.stop();
    const before = await test.applied();
    const ids = [...(await publishing).flat(), ...(await test.publish(30))];
    expect(before.length).toBeLessThan(ids.length);
    test.consume();
    const all = async () => (await test.applied()).length === ids.length;
    // Events that were not released would be redelivered only after 15 s.
    expect((await timed(() => eventually('all are applied', all))).ms).toBeLessThan(14_000);
    expect((await test.applied()).toSorted()).toEqual(ids.toSorted());
  });

  it('does not count redeliveries as failures', async () => {
    const [id] = await test.publish(1);
    const nats = await connect(natsConnectOptions('consumer-test', testNats()));
    const source = await jetstream(nats).consumers.get(test.stream, 'tester');
    for (let delivery = 1; delivery <= 9; delivery += 1) (await source.next())?.nak();
    let failures = 1;
    test.consume({
      before: () => {
        failures -= 1;
        if (failures >= 0) throw new Error('not yet');
      },
    });
    await eventually('it is applied', async () => (await test.applied())[0] === id);
    expect(await test.failed()).toEqual([]);
    await nats.close();
  });
});
