import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '../../local/wait-until.ts';
import { findOnPath } from '../../programs/on-path.ts';

/** A registry of images and charts on this machine, which speaks plain HTTP. */
export interface Registry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  stop(): Promise<void>;
}

export interface RegistryOptions {
  /** Holds what is pushed: a registry that is started on it later has it, too. */
  readonly folder: string;
  /** A free one unless told. */
  readonly port?: number;
}

const PROGRAM = 'docker-registry';
/** Of a machine that does much else. */
export const START_MS = 120_000;

/** Why this machine cannot have a registry, as a sentence; undefined where it can. */
export const lacksRegistry = (): string | undefined =>
  findOnPath(PROGRAM) ? undefined : `there is no ${PROGRAM}: apt-get install -y ${PROGRAM}`;

/** Starts Debian's registry. Rejects with its last words where it does not listen. */
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
  // Into a file: tests that wait for podman read no pipe meanwhile, and a full one would stop the registry.
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
