import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepStreams } from '@supplier/lib/events/configure-streams';
import {
  type Bus,
  connectBus,
  eventSigner,
  eventVerifier,
  type NatsUser,
  STREAMS,
  SUBSCRIPTIONS,
  startConsumer,
  unchecked,
} from '@supplier/lib/events/event-bus';
import { appending, eventValues, newEvent, requestReplay, startRelay } from '@supplier/lib/events/outbox';
import {
  createTestDatabase,
  eventually,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { DocumentFinalizedSchema } from '@supplier/proto/document/v1/events';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { maintainPartitions } from '../../../services/lib/events/outbox/partitions.ts';
import { publisherOn } from '../../../services/lib/events/outbox/publisher.ts';
import { withRingStep } from '../../prepare/prepared.ts';
import { newRing } from '../identity/key-rings.ts';
import { startTestNatsServer, type TestNatsServer } from './testing/test-server.ts';

jest.setTimeout(120_000);

const sqlOf = (path: string) =>
  readFileSync(new URL(`../../../services/lib/${path}`, import.meta.url), 'utf8');
const SCHEMA = `${sqlOf('events/outbox/outbox.sql')} ${sqlOf('events/event-bus/failed-events.sql')}
CREATE TABLE effect (consumer text, event_id uuid, UNIQUE (consumer, event_id))`;
const KEEP_DAYS = 7;
const BILLED = 'supplier.submission.SubmissionStatusChanged.billing';
const CONSUMERS = ['billing', 'webhook'] as const;
type Consumer = (typeof CONSUMERS)[number];
type Connection = NonNullable<ReturnType<Bus['connection']>>;

let nats: TestNatsServer;
let streams: { close(): Promise<void> };
let database: TestDatabase;
let keys: string;
let administrator: Connection;
let submission: TestProcess;
let consumers: Record<Consumer, TestProcess>;
const processes: TestProcess[] = [];

beforeAll(async () => {
  nats = await startTestNatsServer();
}, 300_000);
afterAll(() => nats?.close());

beforeEach(async () => {
  streams = await keepStreams(nats.accessOf('streams'), { warn: console.warn });
  database = await createTestDatabase({ schema: SCHEMA });
  // As after a migration: an insert fails if its partition is being made.
  await maintainPartitions(database.pool, KEEP_DAYS);
  keys = mkdtempSync(join(tmpdir(), 'event-keys-'));
  for (const consumer of CONSUMERS) writeRing(consumer, newRing());
  administrator = await connectionOf('administrator');
  for (const stream of Object.values(STREAMS)) await call(`STREAM.PURGE.${stream}`);
  submission = startSubmission();
  consumers = { billing: consume('billing'), webhook: consume('webhook') };
});
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.stop()));
  await streams.close();
  await database.close();
  rmSync(keys, { recursive: true });
});

const writeRing = (consumer: Consumer, ring: object) =>
  writeFileSync(join(keys, `${consumer}.json`), JSON.stringify(ring));
const ringOf = (consumer: Consumer) => JSON.parse(readFileSync(join(keys, `${consumer}.json`), 'utf8'));

function start(name: string): { process: TestProcess; bus: Bus } {
  const process = startTestProcess(name);
  processes.push(process);
  const access = name === 'administrator' ? nats.administrator : nats.accessOf(name);
  return { process, bus: connectBus(process, access) };
}

const connectionOf = (user: NatsUser | 'administrator') => {
  const { bus } = start(user);
  return eventually(`${user} is connected`, () => bus.connection());
};

/** Calls JetStream as the administrator. */
async function call(method: string, body: object | '' = ''): Promise<Record<string, unknown>> {
  const answer = await administrator.request(`$JS.API.${method}`, body && JSON.stringify(body));
  return answer.json<Record<string, unknown>>();
}

function startSubmission(): TestProcess {
  const { process, bus } = start('submission');
  startRelay(process, {
    pool: database.pool,
    bus,
    stream: STREAMS.submission,
    sign: eventSigner(keys),
    pollMs: 20,
  });
  return process;
}

function consume(consumer: Consumer): TestProcess {
  const { process, bus } = start(consumer);
  startConsumer(process, {
    ...{ bus, ...SUBSCRIPTIONS[consumer], pool: database.pool },
    isAuthentic: eventVerifier(keys, consumer),
    events: [SubmissionStatusChangedSchema],
    async apply(tx, events) {
      const ids = events.map(({ id }) => id);
      await tx.query('INSERT INTO effect SELECT $1, unnest($2::uuid[]) ON CONFLICT DO NOTHING', [
        consumer,
        ids,
      ]);
    },
  });
  return process;
}

const about = () => ({ aggregateId: newId(), aggregateVersion: 1n, occurredAt: new Date() });
const forged = () => newEvent(SubmissionStatusChangedSchema, {}, { ...about(), facet: 'billing' });

/** Commits an event of the submission service. Resolves to its id once both consumers have applied it. */
async function genuine(): Promise<string> {
  const event = forged();
  await database.pool.query(`WITH ${appending()}`, eventValues([event]));
  await eventually('both have applied it', async () => {
    const { rows } = await database.pool.query('SELECT FROM effect WHERE event_id = $1', [event.eventId]);
    return rows.length === CONSUMERS.length;
  });
  return event.eventId;
}

const applied = async () =>
  (await database.pool.query('SELECT consumer, event_id FROM effect ORDER BY 1, 2')).rows;
const kept = async (): Promise<Record<string, unknown>[]> =>
  (await database.pool.query('SELECT * FROM failed_event ORDER BY consumer, seq')).rows;
const countOf = async (consumer: Consumer) =>
  Number(/outcome="unauthenticated"\} (\d+)/.exec(await consumers[consumer].metrics.metrics())?.[1]);
const messagesIn = async (stream: string) =>
  Number(((await call(`STREAM.INFO.${stream}`)) as { state: { messages: number } }).state.messages);

/** Expects that both consumers have seen `count` forged messages, and applied nothing but the genuine event. */
async function expectNotApplied(count: Readonly<Record<Consumer, number>>): Promise<void> {
  const id = await genuine();
  for (const consumer of CONSUMERS)
    await eventually(
      `${consumer} has counted them`,
      async () => (await countOf(consumer)) === count[consumer],
    );
  expect(await applied()).toEqual(CONSUMERS.map((consumer) => ({ consumer, event_id: id })));
  const rows = await kept();
  expect(new Set(rows.map(({ type, parked_at }) => [type, parked_at !== null].join()))).toEqual(
    new Set(['unauthenticated,true']),
  );
}

describe('a service that publishes a forged event', () => {
  /** Publishes to the submission service's stream, as its user could or a tampered configuration would. */
  async function publish(subject: string, data: Uint8Array, codes: Readonly<Record<string, string>> = {}) {
    const publisher = publisherOn(administrator, { sign: () => Object.entries(codes) });
    const event = { event_id: newId(), type: '', subject, envelope: data };
    const [answer] = await publisher.publishAll(STREAMS.submission, [event]);
    expect(answer).toHaveProperty('streamSeq');
  }
  const codesOf = (subject: string, envelope: Uint8Array) =>
    Object.fromEntries(eventSigner(keys)(subject, envelope));
  const swapped = (codes: Readonly<Record<string, string>>) => ({
    'Sss-Code-billing': codes['Sss-Code-webhook'] ?? '',
    'Sss-Code-webhook': codes['Sss-Code-billing'] ?? '',
  });

  it.each([
    ['no code', () => ({})],
    ['empty codes', () => ({ 'Sss-Code-billing': '', 'Sss-Code-webhook': '' })],
    ['codes of another envelope', () => codesOf(BILLED, forged().envelope)],
    ['codes of another subject', (envelope) => codesOf(BILLED.replace('billing', 'status'), envelope)],
    ["the other consumer's code", (envelope) => swapped(codesOf(BILLED, envelope))],
  ] as [string, (envelope: Uint8Array) => Record<string, string>][])(
    'with %s has no effect',
    async (_, codes) => {
      const { envelope } = forged();
      await publish(BILLED, envelope, codes(envelope));
      await expectNotApplied({ billing: 1, webhook: 1 });
    },
  );

  it('does not keep the genuine event of the same id from being applied', async () => {
    const event = forged();
    await publish(BILLED, event.envelope);
    await eventually('both have refused it', async () => (await kept()).length === 2);
    await database.pool.query(`WITH ${appending()}`, eventValues([event]));
    await eventually('both have applied it', async () => (await applied()).length === 2);
  });

  it('fills no table and delays nobody, however many it sends, and leaves evidence that is never applied', async () => {
    const { envelope } = forged();
    for (let n = 0; n < 300; n += 1)
      administrator.publish(BILLED, n === 0 ? new Uint8Array(9_000) : envelope);
    await administrator.flush();
    await expectNotApplied({ billing: 300, webhook: 300 });
    const rows = await kept();
    for (const consumer of CONSUMERS) {
      const own = rows.filter((row) => row.consumer === consumer);
      expect(own.length).toBeGreaterThanOrEqual(100);
      expect(own.length).toBeLessThanOrEqual(163);
      const lines = consumers[consumer].lines.filter(({ msg }) => msg === 'event not authenticated');
      expect(lines).toMatchObject([{ level: 'error', consumer, stream: STREAMS.submission }]);
    }
    expect(Math.max(...rows.map((row) => (row.envelope as Buffer).length))).toBe(4_096);
  });
});

describe('a compromised service', () => {
  it('has no effect even if its stream does copy events there', async () => {
    const { config } = await call('STREAM.INFO.ACCOUNT');
    const republish = { src: 'supplier.account.Forged', dest: BILLED };
    await call('STREAM.UPDATE.ACCOUNT', { ...(config as object), republish });
    const attacker = await connectionOf('account');
    attacker.publish('supplier.account.Forged', forged().envelope);
    await attacker.flush();
    await eventually('it is there', async () => (await messagesIn(STREAMS.submission)) === 1);
    await expectNotApplied({ billing: 1, webhook: 1 });
    await call('STREAM.UPDATE.ACCOUNT', config as object);
  });
});

it('messages that are not its events, however many, fill no table of the scanner and delay nothing', async () => {
  const { stream, subject, consumer } = SUBSCRIPTIONS.scanner;
  const { process: scanner, bus } = start('scanner');
  const received: unknown[] = [];
  startConsumer(scanner, {
    ...{ bus, stream, subject, consumer, pool: database.pool, isAuthentic: unchecked },
    events: [DocumentFinalizedSchema],
    apply: async (_, events) => void received.push(...events),
  });
  const attacker = await connectionOf('document');
  for (let n = 0; n < 150; n += 1) {
    attacker.publish(subject, '{"type":"an answer of NATS"}');
    attacker.publish(subject, forged().envelope);
  }
  await attacker.flush();
  await eventually('all are there', async () => (await messagesIn(stream)) === 300);
  await administrator.request(subject, newEvent(DocumentFinalizedSchema, {}, about()).envelope);
  await eventually('the event behind them is applied', () => received.length === 1);
  await eventually('all are counted', async () =>
    (await scanner.metrics.metrics()).includes('outcome="unauthenticated"} 300'),
  );
  expect((await kept()).map(({ type }) => type)).toEqual(Array(100).fill('unauthenticated'));
  const lines = scanner.lines.filter(({ level }) => level === 'error');
  expect(lines).toMatchObject([{ msg: 'event not authenticated', consumer, stream }]);
});

describe('the rotation of an event key', () => {
  const step = (name: 'add' | 'switch' | 'remove') => {
    const ring = withRingStep(
      { keyRings: { 'events-billing': ringOf('billing') }, retiredKeys: {} } as never,
      name,
      ['events-billing'],
    ).keyRings['events-billing'];
    writeRing('billing', ring ?? {});
  };
  const restart = async (which: 'submission' | Consumer) => {
    if (which === 'submission') {
      await submission.stop();
      submission = startSubmission();
    } else {
      await consumers[which].stop();
      consumers[which] = consume(which);
    }
  };

  it('loses nothing, in whatever order processes restart, and what is published again has current codes', async () => {
    await genuine();
    for (const name of ['add', 'switch', 'remove'] as const) {
      step(name);
      for (const which of ['submission', 'billing'] as const) {
        await restart(which);
        await genuine();
      }
    }
    expect(await kept()).toEqual([]);
    // The stream is lost, and with it every code under an earlier key.
    await database.pool.query('TRUNCATE effect');
    await call(`STREAM.DELETE.${STREAMS.submission}`);
    await eventually('all are applied again', async () => (await applied()).length === 14);
    expect(await requestReplay(database.pool, new Date(Date.now() - 3_600_000))).toBe(7);
    await genuine();
    expect(await kept()).toEqual([]);
  });

  it('that removed a key too early loses nothing that a replay can publish again', async () => {
    await consumers.billing.stop();
    const event = forged();
    await database.pool.query(`WITH ${appending()}`, eventValues([event]));
    await eventually('webhook has applied it', async () => (await applied()).length === 1);
    for (const name of ['add', 'switch', 'remove'] as const) step(name);
    await restart('submission');
    consumers.billing = consume('billing');
    await eventually('billing has refused it', async () => (await kept()).length === 1);
    await requestReplay(database.pool, new Date(Date.now() - 3_600_000));
    await eventually('billing has applied it', async () => (await applied()).length === 2);
  });
});
