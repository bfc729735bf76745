import { join } from 'node:path';
import type { Certificates } from '../identity/make-certificates.ts';
import type { NatsSecurity } from './config.ts';
import { makeNatsUsers } from './users.ts';

/** How the stack's NATS is reached, and what it asks of those who come. */
export interface LocalNats {
  /** For tests and tools: may do everything. */
  readonly url: string;
  /** What a process is told; `user` is its name. */
  environmentOf(user: string): Readonly<Record<string, string>>;
  /** Of the server; without it, everybody may do everything in plain text. */
  readonly security?: NatsSecurity;
}

/** A NATS on the loopback address without users and without TLS. */
export function plainNats(port: number): LocalNats {
  const url = `nats://127.0.0.1:${port}`;
  return { url, environmentOf: () => ({ SSS_NATS_URL: url }) };
}

/** A NATS that shows `certificates` and knows a user for each process; their credentials lie under `folder`. */
export function secureNats(port: number, folder: string, certificates: Certificates): LocalNats {
  const { administrator, logins, fileOf } = makeNatsUsers(join(folder, 'users'));
  const address = `127.0.0.1:${port}`;
  return {
    url: `tls://${administrator.user}:${administrator.password}@${address}`,
    environmentOf: (user) => ({
      SSS_NATS_URL: `tls://${address}`,
      SSS_NATS_CA_FILE: certificates.authority,
      SSS_NATS_CREDENTIALS_FILE: fileOf(user),
    }),
    security: { certificate: certificates.certificate, key: certificates.key, logins },
  };
}
