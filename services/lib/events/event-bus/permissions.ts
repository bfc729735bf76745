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
  const heard = listensTo[user];
  const publishes = [
    ...(stream ? forRelay(stream) : []),
    ...(subscription ? forConsumer(subscription) : []),
    ...(user === CONFIGURING_USER ? forConfiguring() : []),
  ];
  return {
    // The server treats an empty list as missing, which would allow everything.
    publish: publishes.length > 0 ? { allow: publishes } : { allow: [], deny: ['>'] },
    subscribe: { allow: [`${inboxPrefixOf(user)}.>`, ...(heard ? [heard] : [])] },
  };
}

export function allPermissions(): Readonly<Record<string, Permissions>> {
  return Object.fromEntries(NATS_USERS.map((user) => [user, permissionsOf(user)]));
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
