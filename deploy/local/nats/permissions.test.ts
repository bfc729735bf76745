import { readFileSync } from 'node:fs';
import {
  type Bus,
  connectBus,
  LISTENS_TO,
  NATS_USERS,
  type NatsUser,
  STREAMS,
  SUBSCRIPTIONS,
  type Subscription,
  startConsumer,
} from '@supplier/lib/events/event-bus';
import { appending, eventValues, newEvent, startRelay } from '@supplier/lib/events/outbox';
import {
  createTestDatabase,
  eventually,
  startTestProcess,
  type TestDatabase,
  type TestProcess,
} from '@supplier/lib/testing';
import { newId } from '@supplier/lib/text/ids';
import { AccountChangedSchema } from '@supplier/proto/account/v1/events';
import { DocumentFinalizedSchema } from '@supplier/proto/document/v1/events';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { EndpointFailingSchema } from '@supplier/proto/webhook/v1/events';
import { startTestNatsServer, type TestNatsServer } from './testing/test-server.ts';

jest.setTimeout(120_000);

const sqlOf = (path: string) =>
  readFileSync(new URL(`../../../services/lib/${path}`, import.meta.url), 'utf8');
const SCHEMA = `${sqlOf('events/outbox/outbox.sql')} ${sqlOf('events/event-bus/failed-events.sql')}`;

const about = () => ({ aggregateId: newId(), aggregateVersion: 1n, occurredAt: new Date() });
/** One event of each publishing service. */
const EVENTS = {
  account: () => newEvent(AccountChangedSchema, {}, about()),
  document: () => newEvent(DocumentFinalizedSchema, {}, about()),
  submission: () => newEvent(SubmissionStatusChangedSchema, {}, { ...about(), facet: 'lead' }),
  webhook: () => newEvent(EndpointFailingSchema, {}, about()),
};
const subscriptions: Readonly<Partial<Record<string, Subscription>>> = SUBSCRIPTIONS;
const denials = ({ lines }: TestProcess) => lines.filter(({ msg }) => msg === 'NATS permission denied');
const denied = (process: TestProcess) =>
  eventually('the denial is logged', () => denials(process).length > 0 && denials(process));

let nats: TestNatsServer;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  nats = await startTestNatsServer();
}, 300_000);
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  await nats?.close();
});

/** Starts a process of that name on the bus, as its user. */
function start(user: NatsUser): { process: TestProcess; bus: Bus } {
  const process = startTestProcess(user);
  closing.push(() => process.stop());
  return { process, bus: connectBus(process, nats.accessOf(user)) };
}

async function connected(user: NatsUser) {
  const { process, bus } = start(user);
  const connection = await eventually(`${user} is connected`, () => bus.connection());
  return { process, connection };
}

const wrongPassword = (server: TestNatsServer) =>
  server.accessOf('account').url.replace('//', '//account:wrong@');

async function openDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase({ schema: SCHEMA });
  closing.push(() => database.close());
  return database;
}

it('every process may publish its events and receive those it consumes, without a refusal', async () => {
  const processes: TestProcess[] = [];
  const published: string[] = [];
  const applied: string[] = [];
  // The gateway receives only events published while it is connected.
  const gatewayFirst = NATS_USERS.toSorted((a, b) => Number(b === 'gateway') - Number(a === 'gateway'));
  for (const user of gatewayFirst) {
    const { process, bus } = start(user);
    processes.push(process);
    if (user === 'gateway') {
      bus.onConnect(() => {
        bus.connection()?.subscribe(LISTENS_TO.gateway, { callback: () => void applied.push(user) });
      });
      await eventually('the gateway is connected', () => bus.connection());
      await bus.connection()?.flush();
      continue;
    }
    const { pool } = await openDatabase();
    const subscription = subscriptions[user];
    if (subscription) {
      startConsumer(process, {
        bus,
        ...subscription,
        pool,
        events: [DocumentFinalizedSchema, SubmissionStatusChangedSchema],
        apply: async (_, events) => void applied.push(...events.map(() => user)),
      });
    }
    if (user === 'scanner' || user === 'billing') continue;
    await pool.query(`WITH ${appending()}`, eventValues([EVENTS[user]()]));
    startRelay(process, { pool, bus, stream: STREAMS[user] });
    await eventually(
      `${user} has published`,
      async () => (await pool.query('SELECT FROM published_batch')).rowCount === 1,
      30_000,
    );
    published.push(user);
  }
  await eventually('all have heard', () => new Set(applied).size === 4, 30_000);
  expect(published.sort()).toEqual(Object.keys(STREAMS).sort());
  expect(applied.sort()).toEqual(['billing', 'gateway', 'scanner', 'webhook']);
  expect(processes.flatMap(denials)).toEqual([]);
});

describe('a NATS user', () => {
  it.each([
    ['publishes no event of another service', 'supplier.document.DocumentFinalized'],
    ["publishes nothing outside the project's subjects", 'anything'],
    ["publishes nothing to another's inbox", '_INBOX_billing.x'],
    ['deletes no stream of another', '$JS.API.STREAM.DELETE.DOCUMENT'],
    ['does not delete even its own stream', '$JS.API.STREAM.DELETE.ACCOUNT'],
    ['purges no stream', '$JS.API.STREAM.PURGE.ACCOUNT'],
    ['changes no stream of another', '$JS.API.STREAM.UPDATE.DOCUMENT'],
    ['reads no message of another stream', '$JS.API.STREAM.MSG.GET.SUBMISSION'],
    ["reads no stream through another's consumer", '$JS.API.CONSUMER.MSG.NEXT.SUBMISSION.billing'],
    ['does not see the consumers of another stream', '$JS.API.CONSUMER.LIST.SUBMISSION'],
    ['creates no consumer', '$JS.API.CONSUMER.CREATE.SUBMISSION'],
    ['deletes no consumer of another', '$JS.API.CONSUMER.DELETE.SUBMISSION.billing'],
    ['acknowledges no message of another', '$JS.ACK.SUBMISSION.billing.1.1.1.1.0'],
    ['does not list streams', '$JS.API.STREAM.NAMES'],
  ])('%s', async (_, subject) => {
    const { process, connection } = await connected('account');
    await expect(connection.request(subject, '', { timeout: 5_000 })).rejects.toThrow(/permission/i);
    expect(await denied(process)).toMatchObject([{ level: 'error', method: 'publish', resource: subject }]);
  });

  it.each(['supplier.submission.x.lead', '$JS.API.STREAM.DELETE.SUBMISSION', 'anything'])(
    'that only consumes cannot publish to %s',
    async (subject) => {
      const { connection } = await connected('gateway');
      await expect(connection.request(subject, '', { timeout: 30_000 })).rejects.toThrow(/permission/i);
    },
  );

  it.each(['supplier.>', 'supplier.submission.>', '_INBOX.>', '_INBOX_billing.>', '>', '$JS.API.>'])(
    'cannot subscribe to %s',
    async (subject) => {
      const { process, connection } = await connected('account');
      const failed = new Promise((resolve) => connection.subscribe(subject, { callback: resolve }));
      expect(await failed).toMatchObject({ operation: 'subscription', subject });
      expect(await denied(process)).toMatchObject([{ method: 'subscription', resource: subject }]);
    },
  );
});

describe('a process that lacks a permission', () => {
  it('ends at startup with one line that names the missing permission', async () => {
    const lacking = await startTestNatsServer((config) =>
      config.replace('"$JS.API.STREAM.INFO.ACCOUNT",', ''),
    );
    closing.push(() => lacking.close());
    for (const [access, line] of [
      [
        lacking.accessOf('account'),
        /^NATS denied publish of \$JS\.API\.STREAM\.INFO\.ACCOUNT: give the user account /,
      ],
      [
        { ...lacking.accessOf('account'), url: wrongPassword(lacking), credentialsFile: undefined },
        /^NATS rejected the user: /,
      ],
    ] as const) {
      const process = startTestProcess('account');
      closing.push(() => process.stop());
      connectBus(process, access);
      const [failure] = await eventually('it ends', () => process.failures.length > 0 && process.failures);
      expect(failure).toMatchObject({ name: 'ConfigError', message: expect.stringMatching(line) });
      expect(failure?.message).not.toContain('\n');
    }
  });

  it('continues when only others’ permissions are missing, and its check changes nothing', async () => {
    const { process, connection } = await connected('document');
    await connection.flush();
    expect(process.failures).toEqual([]);
    const answer = await connection.request('$JS.API.STREAM.INFO.DOCUMENT', '', { timeout: 5_000 });
    expect(answer.json()).toMatchObject({ state: { messages: 1 } });
  });
});

describe('NATS of the secure stack', () => {
  it('refuses a client without a user, with a wrong password or without trust in its certificate, and logs the reason', async () => {
    const { caFile, credentialsFile, url } = nats.accessOf('account');
    // The certificate is only for 127.0.0.1.
    const elsewhere = await startTestNatsServer((config) => config.replace('"127.0.0.1:', '"127.0.0.2:'));
    closing.push(() => elsewhere.close());
    const wrong = wrongPassword(nats);
    for (const [access, reason] of [
      [{ url, caFile }, /authorization/i],
      [{ url: wrong, caFile }, /authorization/i],
      [{ url, credentialsFile }, /verify/],
      [elsewhere.accessOf('account'), /altname/i],
    ] as const) {
      const process = startTestProcess('account');
      closing.push(() => process.stop());
      const bus = connectBus(process, access);
      await eventually(`${reason} is said`, () =>
        process.lines.some(({ reason: said }) => reason.test(String(said))),
      );
      expect(bus.connection()).toBeUndefined();
    }
  });

  it('accepts new credentials of a running process, which reads its file when it reconnects', async () => {
    const { process, connection } = await connected('webhook');
    nats.changePassword('webhook', 'another');
    await eventually(
      'it has connected again',
      () => process.lines.filter(({ msg }) => msg === 'NATS connected').length > 1,
      20_000,
    );
    await connection.flush();
    expect(connection.isClosed()).toBe(false);
  });
});
