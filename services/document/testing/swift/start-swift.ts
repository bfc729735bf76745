import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { S3Credentials, S3StoreConfig } from '../../src/object-store/store-config.ts';

/** Debian's Python: no other has Debian's Swift on its path. */
const PYTHON = '/usr/bin/python3';
const PACKAGES = ['swift', 'paste/script'].map((name) => `/usr/lib/python3/dist-packages/${name}`);
const SERVER = fileURLToPath(new URL('serve_s3.py', import.meta.url));
const START_MS = 120_000;

/** Returns why Swift cannot be started here; undefined if it can. */
export function swiftIsMissing(): string | undefined {
  const missing = [PYTHON, ...PACKAGES].filter((path) => !existsSync(path));
  if (missing.length === 0) return undefined;
  return `there is no ${missing[0]}: apt-get install -y python3-swift python3-pastescript`;
}

export interface Swift {
  /** Two buckets, each with its own user; the clean bucket's user can also read the quarantine bucket. */
  readonly config: S3StoreConfig;
  /** The user that can create buckets. */
  readonly administrator: S3Credentials;
  /** Stops the server and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts an S3 server on a free port, with its objects in a new directory. Throws with what to install when it cannot
 * start.
 */
export async function startSwift(): Promise<Swift> {
  const missing = swiftIsMissing();
  if (missing) throw new Error(missing);
  const folder = await mkdtemp(join(tmpdir(), 'swift-'));
  const server = spawn(PYTHON, [SERVER, join(folder, 'cluster')], { stdio: ['pipe', 'pipe', 'pipe'] });
  const stop = async () => {
    if (server.exitCode === null && server.signalCode === null) {
      const ended = once(server, 'exit');
      server.kill('SIGKILL');
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const endpoint = `http://127.0.0.1:${await portOf(server)}`;
    return { config: configOf(endpoint), administrator: credentialsOf('setup'), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function portOf(server: ChildProcess): Promise<number> {
  const { stdout, stderr } = server;
  if (!stdout || !stderr) throw new Error('Swift was started without pipes');
  let errors = '';
  stderr.on('data', (chunk) => {
    errors = (errors + chunk).slice(-2_000);
  });
  const line = once(createInterface({ input: stdout }), 'line', { signal: AbortSignal.timeout(START_MS) });
  const ended = once(server, 'exit').then(() => {
    throw new Error(`Swift ended: ${errors}`);
  });
  ended.catch(() => {});
  const [first] = await Promise.race([line, ended]);
  return JSON.parse(String(first)).port;
}

function configOf(endpoint: string): S3StoreConfig {
  return {
    kind: 's3',
    endpoint,
    publicUrl: endpoint,
    region: 'us-east-1',
    quarantineBucket: 'quarantine',
    cleanBucket: 'clean',
    access: { kind: 'keys', quarantine: credentialsOf('quarantine'), clean: credentialsOf('clean') },
  };
}

function credentialsOf(user: string): S3Credentials {
  return { accessKeyId: `sss:${user}`, secretAccessKey: `${user}-secret` };
}
