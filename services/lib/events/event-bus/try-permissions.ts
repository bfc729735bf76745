import type { NatsConnection } from '@nats-io/nats-core';
import { inboxPrefixOf } from '../../runtime/nats-access/index.ts';
import { NATS_USERS, permissionsOf } from './permissions.ts';

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
