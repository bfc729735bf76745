import { inboxPrefixOf } from '../../runtime/nats-access/index.ts';
import { STREAMS, streamConfig } from './streams.ts';
import { LISTENS_TO, SUBSCRIPTIONS, type Subscription } from './subscriptions.ts';

/** What a user may do on NATS, as the configuration of nats-server has it. Nothing else is allowed. */
export interface Permissions {
  readonly publish: { readonly allow: readonly string[]; readonly deny?: readonly ['>'] };
  readonly subscribe: { readonly allow: readonly string[] };
}

/** The processes that connect to NATS. Each has a user of its own, with the same name. */
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

/** What a user needs for the stream that it owns, the durable that it reads and the answers to its own requests. */
export function permissionsOf(user: NatsUser): Permissions {
  const stream = streams[user];
  const subscription = subscriptions[user];
  const heard = listensTo[user];
  const publishes = [...(stream ? forStream(stream) : []), ...(subscription ? forDurable(subscription) : [])];
  return {
    // To the server an empty list is none, and allows everything.
    publish: publishes.length > 0 ? { allow: publishes } : { allow: [], deny: ['>'] },
    subscribe: { allow: [`${inboxPrefixOf(user)}.>`, ...(heard ? [heard] : [])] },
  };
}

/** By user. */
export function allPermissions(): Readonly<Record<string, Permissions>> {
  return Object.fromEntries(NATS_USERS.map((user) => [user, permissionsOf(user)]));
}

/**
 * The relay creates the stream, configures it as the settings say and checks that it still holds what was published, and
 * that no durable is ahead of it.
 */
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

/** The consumer creates its durable, or recreates one that cannot be changed, pulls and acknowledges. */
function forDurable({ stream, consumer, subject }: Subscription): string[] {
  return [
    `$JS.API.CONSUMER.CREATE.${stream}.${consumer}.${subject}`,
    `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
    `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`,
    `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`,
    `$JS.ACK.${stream}.${consumer}.>`,
  ];
}
