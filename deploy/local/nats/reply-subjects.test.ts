import { setImmediate as immediate } from 'node:timers/promises';
import { keepStreams } from '@supplier/lib/events/configure-streams';
import {
  type Bus,
  connectBus,
  LISTENS_TO,
  NATS_USERS,
  type NatsUser,
  permissionsOf,
  STREAMS,
  SUBSCRIPTIONS,
  type Subscription,
} from '@supplier/lib/events/event-bus';
import type { NatsAccess } from '@supplier/lib/runtime/nats-access';
import { eventually, startTestProcess } from '@supplier/lib/testing';
import { streamConfig } from '../../../services/lib/events/event-bus/streams.ts';
import { matchesSubject } from '../../../services/lib/events/event-bus/subscriptions.ts';
import { everyCall } from './testing/every-call.ts';
import { startTestNatsServer, type TestNatsServer } from './testing/test-server.ts';

jest.setTimeout(60_000);

const PROCESSES = NATS_USERS.filter((user) => user !== 'streams');
const subscriptions: Readonly<Partial<Record<string, Subscription>>> = SUBSCRIPTIONS;
const streams: Readonly<Partial<Record<string, string>>> = STREAMS;
const ACKNOWLEDGEMENT = '$JS.ACK.';
/** NATS refuses these as reply subjects, and acknowledgements without one have no response. */
const isAcknowledgement = (subject: string) => subject.startsWith(ACKNOWLEDGEMENT);
/** Every account imports this call, which changes nothing. The server itself publishes `$JS.EVENT`. */
const ACCOUNT_INFO = '$JS.API.INFO';

const NO_WAIT = '{"batch":1,"no_wait":true}';

type Connection = NonNullable<ReturnType<Bus['connection']>>;

let nats: TestNatsServer;
let administrator: Connection;
const connections = new Map<NatsUser, Connection>();
const closing: (() => Promise<void>)[] = [];
/** What the other services and the administrator hear. */
let heard: { readonly by: string; readonly subject: string }[] = [];

beforeAll(async () => {
  nats = await startTestNatsServer();
  // Once: nothing is repaired afterwards.
  await (await keepStreams(nats.accessOf('streams'), { warn: console.warn })).close();
  administrator = await connect('administrator', nats.administrator);
  listen('administrator', administrator, '>');
  for (const user of PROCESSES) {
    const connection = await connect(user, nats.accessOf(user));
    connections.set(user, connection);
    listen(user, connection, `_INBOX_${user}.>`);
    if (user === 'gateway') listen(user, connection, LISTENS_TO.gateway);
  }
}, 300_000);
afterAll(async () => {
  for (const close of closing) await close();
  await nats?.close();
});

async function connect(name: string, access: NatsAccess): Promise<Connection> {
  const process = startTestProcess(name);
  closing.push(() => process.stop());
  const bus = connectBus(process, access);
  return eventually(`${name} is connected`, () => bus.connection());
}

function listen(by: string, connection: Connection, subject: string): void {
  connection.subscribe(subject, {
    callback: (_, message) => void heard.push({ by, subject: message.subject }),
  });
}

async function call<Answer>(method: string): Promise<Answer> {
  return (await administrator.request(`$JS.API.${method}`, '', { timeout: 10_000 })).json<Answer>();
}

interface StreamInfo {
  readonly config: { readonly name: string };
  readonly state: { readonly messages: number };
}
interface ConsumerInfo {
  readonly name: string;
  readonly config: object;
  readonly num_pending: number;
  readonly num_ack_pending: number;
}

/** Returns all streams and consumers. What the user's own publishing and pulling changes is left out. */
async function stateFor(user: NatsUser) {
  const { streams: found } = await call<{ streams: StreamInfo[] }>('STREAM.LIST');
  return Promise.all(
    found.map(async ({ config, state }) => {
      const { consumers } = await call<{ consumers: ConsumerInfo[] }>(`CONSUMER.LIST.${config.name}`);
      return {
        config,
        state: config.name === streams[user] ? { first_seq: 1 } : state,
        consumers: consumers.map(({ name, config: durable, num_pending, num_ack_pending }) =>
          name === subscriptions[user]?.consumer || config.name === streams[user]
            ? [name, durable]
            : [name, durable, num_pending, num_ack_pending],
        ),
      };
    }),
  );
}

const messagesIn = async (stream: string) => (await call<StreamInfo>(`STREAM.INFO.${stream}`)).state.messages;

/** Publishes events whose content would reconfigure the stream. */
async function seed({ stream, subject }: Subscription, count: number): Promise<void> {
  const forged = JSON.stringify({ ...streamConfig(stream), republish: { src: '>', dest: 'elsewhere.>' } });
  for (let n = 1; n < count; n += 1) administrator.publish(subject.replace('*', 'billing'), forged);
  await administrator.request(subject.replace('*', 'billing'), forged);
}

it.each(PROCESSES)('%s has no effect with the subject of a call as a reply subject', async (user) => {
  const { publish } = permissionsOf(user);
  const replies = [...everyCall().keys(), ...NATS_USERS.map((service) => `supplier.${service}.Forged.lead`)]
    .filter((reply) => ![ACCOUNT_INFO, `_INBOX_${user}.x`].includes(reply) && !reply.startsWith('$JS.EVENT.'))
    .filter((reply) => !publish.allow.some((pattern) => matchesSubject(pattern, reply)));
  const answered = replies.filter((reply) => !isAcknowledgement(reply));
  const subscription = subscriptions[user];
  if (subscription) await seed(subscription, replies.length);
  const attacker = connections.get(user);
  const before = await stateFor(user);
  const own = streams[user];
  const ownMessages = own ? await messagesIn(own) : 0;
  heard = [];
  let responses = 0;
  for (const pattern of publish.allow) {
    const subject = pattern.replace(/>$/, isAcknowledgement(pattern) ? '1.1.1.1.0' : 'Forged');
    const isPull = subject.includes('.MSG.NEXT.');
    // A pull has an event as its response, or one without content.
    for (const body of isPull ? ['1', NO_WAIT] : [''])
      for (const reply of replies) attacker?.publish(subject, body, { reply });
    if (isPull) {
      attacker?.publish(subject, NO_WAIT, { reply: `_INBOX_${user}.last` });
      await eventually('the last pull has a response', () => heard.some(({ by }) => by === user));
    } else if (!isAcknowledgement(subject)) responses += answered.length;
  }
  await attacker?.flush();
  const isResponse = ({ by, subject }: (typeof heard)[number]) =>
    by === 'administrator' && (subject.startsWith('_R_.') || answered.includes(subject));
  await eventually('all have a response', () => heard.filter(isResponse).length >= responses, 10_000);
  await Promise.all([...connections.values()].map((connection) => connection.flush()));
  await immediate();
  expect(heard.filter(({ subject }) => replies.includes(subject))).toEqual([]);
  expect(await stateFor(user)).toEqual(before);
  if (own) expect(await messagesIn(own)).toBeGreaterThanOrEqual(ownMessages);
  // The gateway hears the account service's own events only.
  const toOthers = heard.filter(({ by }) => by !== 'administrator' && by !== user);
  expect(toOthers.every(({ by, subject }) => by === 'gateway' && subject === `supplier.${user}.Forged`)).toBe(
    true,
  );
});
