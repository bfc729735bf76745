import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../local/wait-until.ts';
import { findOnPath } from '../../programs/on-path.ts';

/** A registry of images and charts on this machine, which speaks plain HTTP and forgets everything. */
export interface LocalRegistry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  stop(): Promise<void>;
}

const PROGRAM = 'docker-registry';
/** Of a machine that does much else. */
const START_MS = 120_000;

/**
 * `describe`, or `describe.skip` with its reason where there is no registry to be started. With CI=true the suite runs,
 * and fails, so that no pipeline is green without it. `missing` says what else the suite lacks here.
 */
export function describeWithRegistry(
  name: string,
  suite: (registry: () => LocalRegistry) => void,
  missing?: string,
): void {
  const program = findOnPath(PROGRAM);
  const reason = program === undefined ? `there is no ${PROGRAM}: apt-get install -y ${PROGRAM}` : missing;
  const runs = reason === undefined || process.env.CI === 'true';
  if (!runs) console.warn(`skipped: "${name}", because ${reason}`);
  const declare = runs ? describe : describe.skip;
  declare(name, () => {
    let registry: LocalRegistry | undefined;
    beforeAll(async () => {
      registry = await startRegistry(program ?? PROGRAM);
    }, START_MS);
    afterAll(() => registry?.stop());
    suite(() => {
      if (!registry) throw new Error('the registry has not been started');
      return registry;
    });
  });
}

/** Starts Debian's registry on a free port. Rejects with its last words where it does not listen. */
async function startRegistry(program: string): Promise<LocalRegistry> {
  const folder = mkdtempSync(join(tmpdir(), 'registry-'));
  const file = join(folder, 'config.yml');
  writeFileSync(
    file,
    JSON.stringify({
      version: 0.1,
      log: { level: 'info', formatter: 'json', accesslog: { disabled: true } },
      storage: { filesystem: { rootdirectory: join(folder, 'content') } },
      http: { addr: '127.0.0.1:0' },
    }),
  );
  const log = join(folder, 'log');
  // Into a file: tests that wait for podman read no pipe meanwhile, and a full one would stop the registry.
  const written = openSync(log, 'w');
  const child = spawn(program, ['serve', file], { stdio: ['ignore', 'ignore', written] });
  closeSync(written);
  const ended = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('exit', () => resolve(readFileSync(log, 'utf8').trim().split('\n').slice(-3).join('\n')));
  });
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const listens = waitUntil(
    async () => /listening on (127\.0\.0\.1:\d+)/.exec(readFileSync(log, 'utf8'))?.[1],
    { withinMs: START_MS, everyMs: 50 },
  );
  const fails = ended.then((said) => {
    throw new Error(`${program} does not listen: ${said}`);
  });
  const host = await Promise.race([listens, fails]);
  if (host === undefined) throw new Error(`${program} does not listen within ${START_MS} ms`);
  return { host, stop };
}
