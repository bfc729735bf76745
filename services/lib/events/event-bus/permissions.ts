import type { NatsConnection } from '@nats-io/nats-core';
import { inboxPrefixOf } from '../../runtime/nats-access/index.ts';
import { STREAMS, streamConfig } from './streams.ts';
import { LISTENS_TO, SUBSCRIPTIONS, type Subscription } from './subscriptions.ts';

/** A user's NATS permissions, in the format of the nats-server configuration. Everything else is denied. */
export interface Permissions {
  readonly publish: { readonly allow: readonly string[]; readonly deny?: readonly ['>'] };
  readonly subscribe: { readonly allow: readonly string[] };
}

/** The processes that connect to NATS, and the command that configures the streams. Each has its own user with its name. */
export const NATS_USERS = [
  'account',
  'billing',
  'document',
  'gateway',
  'scanner',
  'streams',
  'submission',
  'webhook',
] as const;
export type NatsUser = (typeof NATS_USERS)[number];

const streams: Readonly<Partial<Record<string, string>>> = STREAMS;
const subscriptions: Readonly<Partial<Record<string, Subscription>>> = SUBSCRIPTIONS;
const listensTo: Readonly<Partial<Record<string, string>>> = LISTENS_TO;

/** The user of `configure-streams`. No other may change a stream or a durable. */
export const CONFIGURING_USER = 'streams' satisfies NatsUser;

/**
 * Returns the permissions for the user's stream, its durable and the responses to its requests. A process that could
 * change a stream could copy other services' events into it, or its own into theirs: NATS checks no publish permission
 * for what a configuration copies.
 */
export function permissionsOf(user: NatsUser): Permissions {
  const stream = streams[user];
  const subscription = subscriptions[user];
  const publishes = [
    ...(stream ? forRelay(stream) : []),
    ...(subscription ? forConsumer(subscription) : []),
    ...(user === CONFIGURING_USER ? forConfiguring() : []),
  ];
  return {
    // The server treats an empty list as missing, which would allow everything.
    publish: publishes.length > 0 ? { allow: publishes } : { allow: [], deny: ['>'] },
    subscribe: { allow: [`${inboxPrefixOf(user)}.>`, ...heardBy(user)] },
  };
}

/** An account in the format of the nats-server configuration. `Login` is what a user's entry has besides permissions. */
export interface NatsAccount<Login extends object> {
  readonly jetstream?: 'enabled';
  readonly exports: readonly object[];
  readonly imports: readonly object[];
  readonly users: readonly (Login & { readonly permissions: Permissions })[];
}

/** The account with JetStream, and with the user that configures it. */
export const EVENTS_ACCOUNT = 'supplier-events';
export const accountOf = (user: NatsUser): string =>
  user === CONFIGURING_USER ? EVENTS_ACCOUNT : `supplier-${user}`;

/**
 * Unless an account imports this call, the server adds its own JetStream API to it, which responds to every call as well:
 * that JetStream isn't enabled. No user may make this call.
 */
const ACCOUNT_INFO = '$JS.API.INFO';

/** Pulls have a response for each event. */
const SEVERAL_RESPONSES = /^\$JS\.API\.CONSUMER\.MSG\.NEXT\./;

interface Import {
  readonly user: NatsUser;
  readonly kind: 'service' | 'stream';
  readonly subject: string;
  readonly from: NatsUser;
}

/**
 * Returns an account for each process, which imports what its user may publish from the account with JetStream, and what
 * it listens to from the publisher's. NATS checks no permissions for reply subjects, and JetStream sends its responses to
 * any subject of its account: a response to the subject of a call is another call. A response to an import is sent in the
 * account that imports it.
 */
export function natsAccounts<Login extends object>(
  loginOf: (user: NatsUser) => Login,
): Readonly<Record<string, NatsAccount<Login>>> {
  const all = NATS_USERS.filter((user) => user !== CONFIGURING_USER).flatMap(importsOf);
  const accounts = NATS_USERS.map((user): [string, NatsAccount<Login>] => [
    accountOf(user),
    {
      ...(user === CONFIGURING_USER && { jetstream: 'enabled' }),
      exports: exported(all.filter(({ from }) => from === user)),
      imports: all
        .filter((own) => own.user === user)
        .map(({ kind, subject, from }) => ({ [kind]: { account: accountOf(from), subject } })),
      users: [{ ...loginOf(user), permissions: permissionsOf(user) }],
    },
  ]);
  return Object.fromEntries(accounts);
}

function importsOf(user: NatsUser): Import[] {
  const services = [ACCOUNT_INFO, ...permissionsOf(user).publish.allow];
  const publisherOf = (subject: string) =>
    NATS_USERS.filter((other) => permissionsOf(other).publish.allow.includes(subject));
  return [
    ...services.map((subject) => ({ user, kind: 'service', subject, from: CONFIGURING_USER }) as const),
    // From its publisher: NATS doesn't pass a service import on as a stream.
    ...heardBy(user).flatMap((subject) =>
      publisherOf(subject).map((from) => ({ user, kind: 'stream', subject, from }) as const),
    ),
  ];
}

/** Returns an export for each subject, only to the accounts that import it. */
function exported(imports: readonly Import[]): object[] {
  const sharing = ({ kind, subject }: Import) =>
    imports.filter((other) => other.kind === kind && other.subject === subject);
  return imports
    .filter((one) => sharing(one)[0] === one)
    .map((one) => ({
      [one.kind]: one.subject,
      accounts: sharing(one).map(({ user }) => accountOf(user)),
      ...(SEVERAL_RESPONSES.test(one.subject) && { response_type: 'stream' }),
    }));
}

function heardBy(user: NatsUser): string[] {
  const heard = listensTo[user];
  return heard ? [heard] : [];
}

/** The relay publishes, and checks the stream, its events and its durables. */
function forRelay(stream: string): string[] {
  return [
    ...(streamConfig(stream).subjects ?? []),
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.CONSUMER.LIST.${stream}`,
  ];
}

/** The consumer checks its stream and durable, pulls and acknowledges. */
function forConsumer({ stream, consumer }: Subscription): string[] {
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    `$JS.ACK.${stream}.${consumer}.>`,
  ];
}

function forConfiguring(): string[] {
  const durables: readonly Subscription[] = Object.values(SUBSCRIPTIONS);
  return [
    ...Object.values(STREAMS).flatMap((stream) =>
      ['CREATE', 'INFO', 'UPDATE', 'DELETE'].map((action) => `$JS.API.STREAM.${action}.${stream}`),
    ),
    ...durables.flatMap(({ stream, consumer, subject }) => [
      `$JS.API.CONSUMER.CREATE.${stream}.${consumer}.${subject}`,
      `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
      `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`,
    ]),
  ];
}

/** Requests that only read. The denial of others shows when they are made. */
const HARMLESS = /^\$JS\.API\.(?:STREAM\.(?:INFO|MSG\.GET)|CONSUMER\.(?:INFO|LIST))\./;

/** Tries the permissions of this process without an effect. Denials arrive as connection errors. */
export async function tryPermissions(connection: NatsConnection, processName: string): Promise<void> {
  const user = NATS_USERS.find((name) => name === processName);
  if (!user) return;
  const { publish, subscribe } = permissionsOf(user);
  const reply = `${inboxPrefixOf(user)}.permission-check`;
  for (const subject of publish.allow) {
    if (HARMLESS.test(subject)) connection.publish(subject, '', { reply });
  }
  for (const subject of subscribe.allow) {
    connection.subscribe(subject, { callback: () => {} }).unsubscribe();
  }
  await connection.flush();
}
