import { readFileSync } from 'node:fs';
import { setImmediate as immediate } from 'node:timers/promises';
import { keepStreams } from '@supplier/lib/events/configure-streams';
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
  unchecked,
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
import { everyCall } from './testing/every-call.ts';
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
  submission: () => newEvent(SubmissionStatusChangedSchema, {}, { ...about(), facet: 'billing' }),
  webhook: () => newEvent(EndpointFailingSchema, {}, about()),
};
const subscriptions: Readonly<Partial<Record<string, Subscription>>> = SUBSCRIPTIONS;
const isPublisher = (user: NatsUser): user is keyof typeof STREAMS => Object.hasOwn(STREAMS, user);
const denials = ({ lines }: TestProcess) => lines.filter(({ msg }) => msg === 'NATS permission denied');
const denied = (process: TestProcess) =>
  eventually('the denial is logged', () => denials(process).length > 0 && denials(process));

let nats: TestNatsServer;
const closing: (() => Promise<void>)[] = [];
beforeAll(async () => {
  nats = await startTestNatsServer();
  const streams = await keepStreams(nats.accessOf('streams'), { warn: console.warn });
  closing.push(() => streams.close());
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
        isAuthentic: unchecked,
        pool,
        events: [DocumentFinalizedSchema, SubmissionStatusChangedSchema],
        apply: async (_, events) => void applied.push(...events.map(() => user)),
      });
    }
    if (!isPublisher(user)) continue;
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

/** What each user may do with JetStream, of everything in `everyCall`. Publishing its own events isn't part of it. */
const EXPECTED: Readonly<Record<NatsUser, readonly string[]>> = {
  account: ['STREAM.INFO.ACCOUNT', 'STREAM.MSG.GET.ACCOUNT', 'CONSUMER.LIST.ACCOUNT'],
  document: ['STREAM.INFO.DOCUMENT', 'STREAM.MSG.GET.DOCUMENT', 'CONSUMER.LIST.DOCUMENT'],
  submission: ['STREAM.INFO.SUBMISSION', 'STREAM.MSG.GET.SUBMISSION', 'CONSUMER.LIST.SUBMISSION'],
  webhook: [
    ...['STREAM.INFO.WEBHOOK', 'STREAM.MSG.GET.WEBHOOK', 'CONSUMER.LIST.WEBHOOK', 'STREAM.INFO.SUBMISSION'],
    ...['CONSUMER.INFO.SUBMISSION.webhook', 'CONSUMER.MSG.NEXT.SUBMISSION.webhook', 'ACK.SUBMISSION.webhook'],
  ],
  billing: [
    ...['STREAM.INFO.SUBMISSION', 'CONSUMER.INFO.SUBMISSION.billing'],
    ...['CONSUMER.MSG.NEXT.SUBMISSION.billing', 'ACK.SUBMISSION.billing'],
  ],
  scanner: [
    ...['STREAM.INFO.DOCUMENT', 'CONSUMER.INFO.DOCUMENT.scanner'],
    ...['CONSUMER.MSG.NEXT.DOCUMENT.scanner', 'ACK.DOCUMENT.scanner'],
  ],
  gateway: [],
  streams: [
    ...Object.values(STREAMS).flatMap((stream) =>
      ['CREATE', 'INFO', 'UPDATE', 'DELETE'].map((action) => `STREAM.${action}.${stream}`),
    ),
    ...Object.values(SUBSCRIPTIONS).flatMap(({ stream, consumer, subject }) => [
      `CONSUMER.CREATE.${stream}.${consumer}.${subject}`,
      ...['INFO', 'DELETE'].map((action) => `CONSUMER.${action}.${stream}.${consumer}`),
    ]),
    // Within the subject of the one above.
    'CONSUMER.CREATE.SUBMISSION.webhook.supplier.submission.SubmissionStatusChanged.billing',
  ],
};

describe('a NATS user', () => {
  it.each(NATS_USERS)('%s can make exactly the calls that it needs', async (user) => {
    const calls = everyCall();
    const refused = new Set<string>();
    const connection = await connectDirectly(user, ({ operation, subject }) => {
      if (operation === 'publish') refused.add(subject);
    });
    // No request of the API, so that what is allowed changes nothing either.
    for (const subject of calls.keys()) connection.publish(subject, '{');
    await refusalsRead(connection);
    const allowed = [...calls].flatMap(([subject, call]) => (refused.has(subject) ? [] : [call]));
    expect(allowed.toSorted()).toEqual(EXPECTED[user].toSorted());
    expect(calls.size).toBeGreaterThan(350);
  });

  it.each(NATS_USERS)('%s can publish only its own events', async (user) => {
    const subjects = NATS_USERS.map((service) => `supplier.${service}.Forged`);
    const refused = new Set<string>();
    const connection = await connectDirectly(user, ({ subject }) => refused.add(subject));
    for (const subject of subjects) connection.publish(subject);
    await refusalsRead(connection);
    expect(subjects.filter((subject) => !refused.has(subject))).toEqual(
      Object.hasOwn(STREAMS, user) ? [`supplier.${user}.Forged`] : [],
    );
  });

  it.each(NATS_USERS)('%s can subscribe only to its answers and what it listens to', async (user) => {
    const heard = user === 'gateway' ? [LISTENS_TO.gateway] : [];
    const subjects = [
      ...[
        '>',
        '*.>',
        'supplier.>',
        'supplier.*.>',
        '_INBOX.>',
        '_INBOX*.>',
        '$JS.>',
        '$JS.API.>',
        '$JS.EVENT.>',
      ],
      ...['$JS.ACK.>', '$SYS.>', '$JSC.>', 'elsewhere'],
      ...NATS_USERS.flatMap((other) => [
        `_INBOX_${other}.>`,
        `supplier.${other}.>`,
        `supplier.${other}.Changed`,
      ]),
    ];
    const refused = new Set<string>();
    const connection = await connectDirectly(user, ({ operation, subject }) => {
      if (operation === 'subscription') refused.add(subject);
    });
    for (const subject of subjects) connection.subscribe(subject, { callback: () => {} });
    await refusalsRead(connection);
    const allowed = subjects.filter((subject) => !refused.has(subject));
    const ofEvents = heard.flatMap((subject) => [subject, 'supplier.account.Changed']);
    expect(allowed.toSorted()).toEqual([`_INBOX_${user}.>`, ...ofEvents].toSorted());
  });

  it('that is denied a call leads to one log line', async () => {
    const { process, connection } = await connected('account');
    const subject = '$JS.API.STREAM.UPDATE.ACCOUNT';
    await expect(connection.request(subject, '', { timeout: 5_000 })).rejects.toThrow(/permission/i);
    expect(await denied(process)).toMatchObject([{ level: 'error', method: 'publish', resource: subject }]);
  });
});

interface StreamState {
  readonly state: object;
}

interface Refusal {
  readonly operation: 'publish' | 'subscription';
  readonly subject: string;
}

/** Refusals arrive before the answer, and are reported by the next event-loop turn. */
async function refusalsRead(connection: { flush(): Promise<void> }): Promise<void> {
  await connection.flush();
  await immediate();
}

/** Connects as a user, and reports every refusal: the process itself logs only some. */
async function connectDirectly(user: NatsUser, onRefusal: (refusal: Refusal) => void) {
  const { connection } = await connected(user);
  void (async () => {
    for await (const status of connection.status())
      if (status.type === 'error' && status.error.name === 'PermissionViolationError')
        onRefusal(status.error as unknown as Refusal);
  })();
  return connection;
}

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
    const info = async () =>
      (await connection.request('$JS.API.STREAM.INFO.DOCUMENT', '', { timeout: 5_000 })).json<StreamState>();
    const { state } = await info();
    await connected('document');
    expect((await info()).state).toEqual(state);
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
