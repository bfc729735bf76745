import type { Permissions } from '@supplier/lib/events/event-bus';

/** Somebody who may connect. Without permissions he may do everything. */
export interface NatsLogin {
  readonly user: string;
  readonly password: string;
  readonly permissions?: Permissions;
}

/** Who may connect, and the PEM files of what the server shows him. */
export interface NatsSecurity {
  readonly certificate: string;
  readonly key: string;
  readonly logins: readonly NatsLogin[];
}

interface ConfigOptions {
  readonly port: number;
  readonly storage: string;
  /** Whether messages are put on the disk every second; true unless told. What a power cut takes, relays publish again. */
  readonly synced?: boolean | undefined;
  /** Without it everybody may do everything, in plain text. */
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

/** What is JSON is configuration, too. */
function securityConfig({ certificate, key, logins }: NatsSecurity): string[] {
  return [
    `tls: ${JSON.stringify({ cert_file: certificate, key_file: key, timeout: 5 })}`,
    `authorization: ${JSON.stringify({ timeout: 5, users: logins }, undefined, 2)}`,
  ];
}
