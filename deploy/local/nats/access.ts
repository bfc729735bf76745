import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { keepStreams } from '@supplier/lib/events/configure-streams';
import { CONFIGURING_USER, DEFAULT_STREAM_SETTINGS } from '@supplier/lib/events/event-bus';
import type { NatsAccess } from '@supplier/lib/runtime/nats-access';
import type { Certificates } from '../identity/make-certificates.ts';
import { rememberedSecret } from '../state/private-file.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Terminal } from '../terminal.ts';
import { ADMINISTRATOR, type NatsSecurity } from './program.ts';

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
  const passwordOf = (user: string) => rememberedSecret(fileOf(user), 'password', { user });
  const address = `127.0.0.1:${port}`;
  return {
    url: `tls://${ADMINISTRATOR}:${passwordOf(ADMINISTRATOR)}@${address}`,
    environmentOf: (user) => ({
      SSS_NATS_URL: `tls://${address}`,
      SSS_NATS_CA_FILE: authority,
      SSS_NATS_CREDENTIALS_FILE: fileOf(user),
    }),
    security: { certificate, key, passwordOf },
  };
}

/**
 * Configures the streams as `configure-streams` does, and again whenever NATS has restarted or lost one, until the
 * supervisor stops everything. `replicas` is the number of servers.
 */
export async function keepStreamsOf(
  { environmentOf }: LocalNats,
  supervisor: Supervisor,
  { warn }: Pick<Terminal, 'warn'>,
  replicas = 1,
): Promise<void> {
  const streams = await keepStreams(accessIn(environmentOf(CONFIGURING_USER)), {
    settings: { ...DEFAULT_STREAM_SETTINGS, replicas },
    warn,
  });
  supervisor.onStop(streams.close);
}

const accessIn = (env: Readonly<Record<string, string>>): NatsAccess => ({
  url: env.SSS_NATS_URL ?? '',
  caFile: env.SSS_NATS_CA_FILE,
  credentialsFile: env.SSS_NATS_CREDENTIALS_FILE,
});
