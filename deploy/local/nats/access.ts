import { join } from 'node:path';
import type { Certificates } from '../identity/make-certificates.ts';
import type { NatsSecurity } from './config.ts';
import { makeNatsUsers } from './users.ts';

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

/** NATS with TLS and a user for each process; credentials are in `folder`. */
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
