import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Permissions } from '@supplier/lib/events/event-bus';
import { writePrivateFile } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import { boundToParent } from '../supervisor/wrapper.ts';
import { greets } from '../wait-until.ts';

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

/** NATS with JetStream on files in the state folder. Messages are synced every second unless `synced` is false. */
export function natsProgram(
  server: string,
  state: StateFolder,
  port: number,
  security?: NatsSecurity,
  synced = true,
): Program {
  const config = join(state.nats, 'nats-server.conf');
  const storage = join(state.nats, 'storage');
  return {
    name: 'nats',
    ...boundToParent('TERM', server, ['--config', config]),
    env: { PATH: process.env.PATH ?? '' },
    cwd: state.path,
    ...{ stopSignal: 'SIGTERM', stopWithinMs: 10_000, channel: false },
    // Each time, because the storage may have been deleted meanwhile.
    prepare: () => {
      mkdirSync(storage, { recursive: true });
      writePrivateFile(config, natsConfig(port, storage, security, synced));
    },
    // The server sends this once JetStream is ready.
    isReady: () => greets(port, 'INFO '),
    readyWithinMs: 600_000,
  };
}

/** JetStream on files, on the loopback address only. Relays publish again what is lost. */
export function natsConfig(
  port: number,
  storage: string,
  security: NatsSecurity | undefined,
  synced = true,
): string {
  return [
    `listen: "127.0.0.1:${port}"`,
    'server_name: "local"',
    'max_payload: 1MB',
    'jetstream {',
    `  store_dir: ${JSON.stringify(storage)}`,
    '  max_memory_store: 64MB',
    '  max_file_store: 4GB',
    ...(synced ? ['  sync_interval: 1s'] : []),
    '}',
    ...(security ? securityConfig(security) : []),
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
