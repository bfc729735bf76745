import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../../local/wait-until.ts';
import { findOnPath } from '../../programs/on-path.mjs';

/** A registry of images and charts on this machine, over plain HTTP. */
export interface Registry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  stop(): Promise<void>;
}

export interface RegistryOptions {
  /** Holds the pushed data: a registry started on it later has it, too. */
  readonly folder: string;
  /** A free port by default. */
  readonly port?: number;
}

const PROGRAM = 'docker-registry';
/** Enough for a busy machine. */
export const START_MS = 120_000;

/** Returns why this machine can't run a registry, as a sentence; undefined if it can. */
export const lacksRegistry = (): string | undefined =>
  findOnPath(PROGRAM) ? undefined : `there is no ${PROGRAM}: apt-get install -y ${PROGRAM}`;

/** Starts Debian's registry. Rejects with its last output if it doesn't listen. */
export async function startRegistry({ folder, port = 0 }: RegistryOptions): Promise<Registry> {
  const file = join(folder, 'config.yml');
  writeFileSync(
    file,
    JSON.stringify({
      version: 0.1,
      log: { level: 'info', formatter: 'json', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(folder, 'content') } },
      http: { addr: `127.0.0.1:${port}` },
    }),
  );
  const log = join(folder, 'log');
  // Logs to a file: tests that wait for podman don't read a pipe meanwhile, and a full one would block the registry.
  const written = openSync(log, 'w');
  const child = spawn(PROGRAM, ['serve', file], { stdio: ['ignore', 'ignore', written] });
  closeSync(written);
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', () => resolve(readFileSync(log, 'utf8').trim().split('\n').slice(-3).join('\n')));
  });
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  const listens = waitUntil(
    async () => /listening on (127\.0\.0\.1:\d+)/.exec(readFileSync(log, 'utf8'))?.[1],
    { withinMs: START_MS, everyMs: 50 },
  );
  const fails = ended.then((said) => {
    throw new Error(`${PROGRAM} does not listen: ${said}`);
  });
  const host = await Promise.race([listens, fails]);
  if (host === undefined) throw new Error(`${PROGRAM} does not listen within ${START_MS} ms`);
  return { host, stop };
}
