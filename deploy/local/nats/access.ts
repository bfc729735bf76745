import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { NATS_USERS, permissionsOf } from '@supplier/lib/events/event-bus';
import type { Certificates } from '../identity/make-certificates.ts';
import { rememberedSecret } from '../state/private-file.ts';
import type { NatsSecurity } from './program.ts';

const ADMINISTRATOR = 'administrator';

export interface LocalNats {
  /** The administrator's. */
  readonly url: string;
  /** The settings of a process; `user` is its name. */
  environmentOf(user: string): Readonly<Record<string, string>>;
  readonly security?: NatsSecurity;
}

/** NATS without users and TLS. */
export function plainNats(port: number): LocalNats {
  const url = `nats://127.0.0.1:${port}`;
  return { url, environmentOf: () => ({ SSS_NATS_URL: url }) };
}

/**
 * NATS with TLS and a user for each process, with the permissions that its code declares. Their credentials are in
 * `folder`, in files that only their owner can read.
 */
export function secureNats(
  port: number,
  folder: string,
  { authority, certificate, key }: Certificates,
): Required<LocalNats> {
  const users = join(folder, 'users');
  mkdirSync(users, { recursive: true, mode: 0o700 });
  const fileOf = (user: string) => join(users, `${user}.json`);
  const loginOf = (user: string) => ({
    user,
    password: rememberedSecret(fileOf(user), 'password', { user }),
  });
  const administrator = loginOf(ADMINISTRATOR);
  const processes = NATS_USERS.map((user) => ({ ...loginOf(user), permissions: permissionsOf(user) }));
  const address = `127.0.0.1:${port}`;
  return {
    url: `tls://${administrator.user}:${administrator.password}@${address}`,
    environmentOf: (user) => ({
      SSS_NATS_URL: `tls://${address}`,
      SSS_NATS_CA_FILE: authority,
      SSS_NATS_CREDENTIALS_FILE: fileOf(user),
    }),
    security: { certificate, key, logins: [administrator, ...processes] },
  };
}
