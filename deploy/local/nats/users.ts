import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { NATS_USERS, permissionsOf } from '@supplier/lib/events/event-bus';
import { rememberedSecret } from '../state/private-file.ts';
import type { NatsLogin } from './config.ts';

/** May do everything: for tests, and for a developer who looks into a stack. */
const ADMINISTRATOR = 'administrator';

/** The users of a secure NATS: each process has its own, with what its code declares and nothing more. */
export interface NatsUsers {
  readonly administrator: NatsLogin;
  readonly logins: readonly NatsLogin[];
  /** Where the credentials of a process lie. */
  fileOf(user: string): string;
}

/** Makes a credentials file for each user in `folder`, readable by its owner only. What is there is kept. */
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
