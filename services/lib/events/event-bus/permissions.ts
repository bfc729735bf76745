import type { NatsConnection } from '@nats-io/nats-core';
import { inboxPrefixOf } from '../../runtime/nats-access/index.ts';
import { STREAMS, streamConfig } from './streams.ts';
import { LISTENS_TO, SUBSCRIPTIONS, type Subscription } from './subscriptions.ts';

/** A user's NATS permissions, in the format of the nats-server configuration. Everything else is denied. */
export interface Permissions {
  readonly publish: { readonly allow: readonly string[]; readonly deny?: readonly ['>'] };
  readonly subscribe: { readonly allow: readonly string[] };
}

/** The processes that connect to NATS. Each has its own user with the same name. */
export const NATS_USERS = [
  'account',
  'billing',
  'document',
  'gateway',
  'scanner',
  'submission',
  'webhook',
] as const;
export type NatsUser = (typeof NATS_USERS)[number];

const streams: Readonly<Partial<Record<string, string>>> = STREAMS;
const subscriptions: Readonly<Partial<Record<string, Subscription>>> = SUBSCRIPTIONS;
const listensTo: Readonly<Partial<Record<string, string>>> = LISTENS_TO;

/** Returns the permissions for the user's stream, its durable and the responses to its requests. */
export function permissionsOf(user: NatsUser): Permissions {
  const stream = streams[user];
  const subscription = subscriptions[user];
  const heard = listensTo[user];
  const publishes = [...(stream ? forStream(stream) : []), ...(subscription ? forDurable(subscription) : [])];
  return {
    // The server treats an empty list as missing, which would allow everything.
    publish: publishes.length > 0 ? { allow: publishes } : { allow: [], deny: ['>'] },
    subscribe: { allow: [`${inboxPrefixOf(user)}.>`, ...(heard ? [heard] : [])] },
  };
}

export function allPermissions(): Readonly<Record<string, Permissions>> {
  return Object.fromEntries(NATS_USERS.map((user) => [user, permissionsOf(user)]));
}

/** The relay creates and configures the stream, and checks its events and durables. */
function forStream(stream: string): string[] {
  return [
    ...(streamConfig(stream).subjects ?? []),
    `$JS.API.STREAM.CREATE.${stream}`,
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.UPDATE.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.CONSUMER.LIST.${stream}`,
  ];
}

/** The consumer creates its durable or recreates one that cannot be changed, pulls and acknowledges. */
function forDurable({ stream, consumer, subject }: Subscription): string[] {
  return [
    `$JS.API.CONSUMER.CREATE.${stream}.${consumer}.${subject}`,
    `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
    `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    `$JS.ACK.${stream}.${consumer}.>`,
  ];
}

/** Requests that only read, or that fail when empty. The denial of others shows when they are made. */
const HARMLESS = /^\$JS\.API\.(?:STREAM\.(?:CREATE|INFO|UPDATE|MSG\.GET)|CONSUMER\.(?:CREATE|INFO|LIST))\./;

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
