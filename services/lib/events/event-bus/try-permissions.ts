import type { NatsConnection } from '@nats-io/nats-core';
import { inboxPrefixOf } from '../../runtime/nats-access/index.ts';
import { NATS_USERS, permissionsOf } from './permissions.ts';

/**
 * Requests that only read, or that fail when empty. All other requests, and events, would have an effect: their denial
 * only shows when they are made.
 */
const HARMLESS = /^\$JS\.API\.(?:STREAM\.(?:CREATE|INFO|UPDATE|MSG\.GET)|CONSUMER\.(?:CREATE|INFO|LIST))\./;

/**
 * Tries the permissions that the user of this process needs, without an effect. Denials have arrived as connection
 * errors by the time it resolves. A process without a user has nothing to try.
 */
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
