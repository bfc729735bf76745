import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { NATS_USERS, permissionsOf } from '@supplier/lib/events/event-bus';
import { rememberedSecret } from '../state/private-file.ts';
import type { NatsLogin } from './config.ts';

const ADMINISTRATOR = 'administrator';

/** A user for each process, with the permissions that its code declares. */
export interface NatsUsers {
  readonly administrator: NatsLogin;
  readonly logins: readonly NatsLogin[];
  fileOf(user: string): string;
}

/** Creates a credentials file for each user that has none, readable by its owner only. */
export function makeNatsUsers(folder: string): NatsUsers {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const fileOf = (user: string) => join(folder, `${user}.json`);
  const administrator = loginIn(fileOf(ADMINISTRATOR), ADMINISTRATOR);
  const processes = NATS_USERS.map((user) => ({
    ...loginIn(fileOf(user), user),
    permissions: permissionsOf(user),
  }));
  return { administrator, logins: [administrator, ...processes], fileOf };
}

const loginIn = (file: string, user: string): NatsLogin => ({
  user,
  password: rememberedSecret(file, 'password', { user }),
});
