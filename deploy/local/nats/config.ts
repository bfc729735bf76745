import type { Permissions } from '@supplier/lib/events/event-bus';

/** A user. Without permissions, everything is allowed. */
export interface NatsLogin {
  readonly user: string;
  readonly password: string;
  readonly permissions?: Permissions;
}

/** Users, and PEM files of the server. */
export interface NatsSecurity {
  readonly certificate: string;
  readonly key: string;
  readonly logins: readonly NatsLogin[];
}

interface ConfigOptions {
  readonly port: number;
  readonly storage: string;
  /** Whether messages are synced every second; true by default. Relays publish again what is lost. */
  readonly synced?: boolean | undefined;
  readonly security?: NatsSecurity | undefined;
}

/** The server's configuration: JetStream on files, on the loopback address only. */
export function natsConfig(options: ConfigOptions): string {
  const { synced = true } = options;
  const sync = synced ? ['  sync_interval: 1s'] : [];
  return [
    `listen: "127.0.0.1:${options.port}"`,
    'server_name: "local"',
    'max_payload: 1MB',
    'jetstream {',
    `  store_dir: ${JSON.stringify(options.storage)}`,
    '  max_memory_store: 64MB',
    '  max_file_store: 4GB',
    ...sync,
    '}',
    ...(options.security ? securityConfig(options.security) : []),
    '',
  ].join('\n');
}

/** Configuration may be JSON. */
function securityConfig({ certificate, key, logins }: NatsSecurity): string[] {
  return [
    `tls: ${JSON.stringify({ cert_file: certificate, key_file: key, timeout: 5 })}`,
    `authorization: ${JSON.stringify({ timeout: 5, users: logins }, undefined, 2)}`,
  ];
}
