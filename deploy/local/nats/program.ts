import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS_ACCOUNT, type NatsUser, natsAccounts } from '@supplier/lib/events/event-bus';
import { writePrivateFile } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import { boundToParent } from '../supervisor/wrapper.ts';
import { greets } from '../wait-until.ts';

/** PEM files of the server, and the passwords of its users. */
export interface NatsSecurity {
  readonly certificate: string;
  readonly key: string;
  passwordOf(user: NatsUser | typeof ADMINISTRATOR): string;
}

/** A user who may do everything in the account of the streams. */
export const ADMINISTRATOR = 'administrator';

export interface ClusterMember {
  readonly name: string;
  /** Listens for the other servers. */
  readonly routePort: number;
  /** Where it reaches each of the other servers. */
  readonly routes: readonly number[];
}

export interface NatsOptions {
  readonly security?: NatsSecurity | undefined;
  /** Whether messages are synced every second; true by default. */
  readonly synced?: boolean | undefined;
  /** By default, the server is the only one. */
  readonly member?: ClusterMember;
}

/** NATS with JetStream on files in the state folder; each member of a cluster has a folder in it. */
export function natsProgram(
  server: string,
  state: StateFolder,
  port: number,
  options: NatsOptions = {},
): Program {
  const { name = 'nats' } = options.member ?? {};
  const folder = options.member ? join(state.nats, name) : state.nats;
  const config = join(folder, 'nats-server.conf');
  const storage = join(folder, 'storage');
  return {
    name,
    ...boundToParent('TERM', server, ['--config', config]),
    env: { PATH: process.env.PATH ?? '' },
    cwd: state.path,
    ...{ stopSignal: 'SIGTERM', stopWithinMs: 10_000, channel: false },
    // Each time, because the storage may have been deleted meanwhile.
    prepare: () => {
      mkdirSync(storage, { recursive: true });
      writePrivateFile(config, natsConfig(port, storage, options));
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
  { security, synced = true, member }: NatsOptions,
): string {
  return [
    `listen: "127.0.0.1:${port}"`,
    `server_name: ${JSON.stringify(member?.name ?? 'local')}`,
    'max_payload: 1MB',
    'jetstream {',
    `  store_dir: ${JSON.stringify(storage)}`,
    '  max_memory_store: 64MB',
    '  max_file_store: 4GB',
    ...(synced ? ['  sync_interval: 1s'] : []),
    '}',
    ...(security ? securityConfig(security) : []),
    ...(member ? [`cluster: ${JSON.stringify(clusterConfig(member))}`] : []),
    '',
  ].join('\n');
}

/** Configuration may be JSON. */
function securityConfig({ certificate, key, passwordOf }: NatsSecurity): string[] {
  const loginOf = (user: Parameters<typeof passwordOf>[0]) => ({ user, password: passwordOf(user) });
  const accounts = natsAccounts<object>(loginOf);
  const events = accounts[EVENTS_ACCOUNT];
  const users = [...(events?.users ?? []), loginOf(ADMINISTRATOR)];
  return [
    `tls: ${JSON.stringify({ cert_file: certificate, key_file: key, timeout: 5 })}`,
    'authorization: { timeout: 5 }',
    `accounts: ${JSON.stringify({ ...accounts, [EVENTS_ACCOUNT]: { ...events, users } }, undefined, 2)}`,
  ];
}

/** The servers use only the configured routes, and clients only the address that they were given. */
const clusterConfig = ({ routePort, routes }: ClusterMember) => ({
  name: 'local',
  listen: `127.0.0.1:${routePort}`,
  routes: routes.map((port) => `nats://127.0.0.1:${port}`),
  // Nothing listens there: other servers would tell each other about shorter routes.
  advertise: '127.0.0.1:1',
  no_advertise: true,
});
