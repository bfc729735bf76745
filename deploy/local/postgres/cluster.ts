import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { observeProgram } from '../../commands/setup/run-program.mjs';
import type { Certificates } from '../identity/make-certificates.ts';
import { identify } from '../state/lock-file.mjs';
import { readIfPresent, rememberedSecret, writePrivateFile } from '../state/private-file.ts';
import type { StateFolder } from '../state/state-folder.ts';
import type { Program } from '../supervisor/program.ts';
import { CannotStart } from '../terminal.ts';
import { type PostgresBinaries, postgresBinaries } from './binaries.ts';
import { canConnect } from './databases.ts';
import { type RunAs, runPostgresAs } from './run-as.ts';

/** A PostgreSQL cluster that is ready to start. */
export interface Cluster {
  readonly program: Program;
  /** The superuser's URL of a database. */
  url(database: string): string;
}

/** Small, because all services share one machine. */
const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_buffers: '64MB',
  max_connections: '120',
  max_wal_size: '512MB',
  fsync: 'on',
  // Read-ahead workers cost memory without a benefit here.
  io_method: 'sync',
  max_worker_processes: '4',
  max_parallel_workers: '0',
  autovacuum_max_workers: '2',
  jit: 'off',
  timezone: 'UTC',
  log_min_messages: 'warning',
};

/** Survives a killed process, but no power loss. */
export const unsynced: Readonly<Record<string, string>> = { fsync: 'off', full_page_writes: 'off' };

/**
 * Prepares the cluster, and creates its files on the first run. With `certificates` it accepts only TLS. `more` are
 * additional settings.
 */
export async function prepareCluster(
  state: StateFolder,
  port: number,
  certificates?: Certificates,
  more: Readonly<Record<string, string>> = {},
): Promise<Cluster> {
  const binaries = postgresBinaries();
  const password = rememberedSecret(state.postgresAccess, 'superuser');
  const verified = certificates
    ? `?sslmode=verify-full&sslrootcert=${encodeURIComponent(certificates.authority)}`
    : '';
  const url = (database: string) =>
    `postgresql://postgres:${password}@127.0.0.1:${port}/${database}${verified}`;
  mkdirSync(state.postgres, { recursive: true, mode: 0o700 });
  const as = runPostgresAs([state.postgres, binaries.postgres]);
  const data = join(state.postgres, 'data');
  if (!existsSync(data)) await initialise(binaries, as, state.postgres, data, password);
  const tls = certificates ? tlsSettings(certificates, state.postgres, as) : {};
  const flags = Object.entries({ ...settings, ...tls, ...more }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  return {
    url,
    program: {
      name: 'postgres',
      ...as.wrap(binaries.postgres, ['-D', data, '-p', String(port), ...flags]),
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
      cwd: state.postgres,
      // Fast shutdown: ends the sessions instead of waiting for them.
      stopSignal: 'SIGINT',
      stopWithinMs: 20_000,
      channel: false,
      prepare: () => clearStalePidFile(data),
      isReady: () => canConnect(url('postgres')),
      readyWithinMs: 600_000,
    },
  };
}

/** Copies files for the server, which runs as a user who can't read the originals. */
function tlsSettings({ certificate, key }: Certificates, folder: string, as: RunAs): Record<string, string> {
  const give = (name: string, text: string) => {
    const path = join(folder, name);
    writePrivateFile(path, text);
    as.own(path);
    return path;
  };
  return {
    ssl: 'on',
    ssl_min_protocol_version: 'TLSv1.2',
    ssl_cert_file: give('server.pem', readFileSync(certificate, 'utf8')),
    ssl_key_file: give('server-key.pem', readFileSync(key, 'utf8')),
    hba_file: give('tls-only.conf', 'hostssl all all 127.0.0.1/32 scram-sha-256\n'),
  };
}

/** Renamed when complete, so that an interrupted first run is repeated. */
async function initialise(
  { initdb }: PostgresBinaries,
  as: RunAs,
  folder: string,
  data: string,
  password: string,
): Promise<void> {
  as.own(folder);
  const draft = join(folder, 'draft');
  const passwordFile = join(folder, 'password');
  rmSync(draft, { recursive: true, force: true });
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 });
  as.own(passwordFile);
  try {
    const { command, args } = as.wrap(initdb, [
      ...['--pgdata', draft, '--username', 'postgres', '--pwfile', passwordFile, '--auth', 'scram-sha-256'],
      ...['--encoding', 'UTF8', '--locale', 'C', '--locale-provider', 'builtin'],
      ...['--builtin-locale', 'C.UTF-8'],
    ]);
    const { code, output } = await observeProgram(command, args, {
      cwd: folder,
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
      withinMs: 600_000,
    });
    if (code !== 0) throw new CannotStart(`cannot create the database files: ${output.trim().slice(-500)}`);
    renameSync(draft, data);
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/** Removes a stale pid file: PostgreSQL refuses to start while the file names a live process, even another program. */
function clearStalePidFile(data: string): void {
  const file = join(data, 'postmaster.pid');
  const pid = Number.parseInt(readIfPresent(file) ?? '', 10);
  if (Number.isNaN(pid)) return;
  const alive = identify(pid) !== undefined;
  if (alive && (readIfPresent(`/proc/${pid}/cmdline`) ?? data).includes(data))
    throw new CannotStart(`another PostgreSQL (process ${pid}) is running on ${data}: stop it first`);
  rmSync(file, { force: true });
}
