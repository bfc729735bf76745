/** The Helm of each major version, built from Go's module proxy. As a program: builds what is not there yet. */
import { execFile } from 'node:child_process';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Compiling takes four minutes on two slow cores with nothing cached, and as long again while others work. */
export const BUILD_MS = 900_000;
const RELEASES = {
  3: { version: '3.22.0', source: 'helm.sh/helm/v3/cmd/helm' },
  4: { version: '4.3.1', source: 'helm.sh/helm/v4/cmd/helm' },
} as const;
export type Major = keyof typeof RELEASES;

/** Outside of the repository: every checkout of this machine uses the same. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');
export const programOf = (major: Major) => join(CACHE, `helm-${RELEASES[major].version}`, 'helm');

/** Builds Helm unless it is there; of several that ask, one builds. */
export async function obtain(major: Major): Promise<void> {
  const program = programOf(major);
  const lock = `${program}.lock`;
  mkdirSync(join(program, '..'), { recursive: true });
  while (!existsSync(program)) {
    if (!tryLock(lock)) {
      await pause(500);
      continue;
    }
    try {
      await build(major, program);
    } finally {
      rmSync(lock, { recursive: true, force: true });
    }
  }
}

/** True for the one who got it. What a killed run left behind is taken away after the time that a build may take. */
function tryLock(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > BUILD_MS) rmSync(lock, { recursive: true, force: true });
    return false;
  }
}

async function build(major: Major, program: string): Promise<void> {
  const go = goOnPath();
  const { version, source } = RELEASES[major];
  if (!go) throw new Error(`there is neither Helm ${version} in ${CACHE} nor Go on PATH to build it with`);
  const GOBIN = mkdtempSync(join(CACHE, 'building-'));
  try {
    const env = { ...process.env, GOBIN, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
    await run(go, ['install', `${source}@v${version}`], { cwd: GOBIN, env, timeout: BUILD_MS });
    renameSync(join(GOBIN, 'helm'), program);
  } finally {
    rmSync(GOBIN, { recursive: true, force: true });
  }
}

export function goOnPath(): string | undefined {
  const candidates = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, 'go'));
  return [...candidates, '/usr/local/go/bin/go'].find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

if (import.meta.main) {
  for (const major of [3, 4] as const) {
    console.log(`Helm ${RELEASES[major].version} …`);
    await obtain(major);
  }
}
