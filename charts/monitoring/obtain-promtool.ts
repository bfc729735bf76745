/** Prometheus' own tool for rules, built from Go's module proxy. As a program: builds it if it is not there yet. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { goOnPath } from '../tests/obtain-helm.ts';

const run = promisify(execFile);

/** Compiling takes three minutes on two slow cores with nothing cached, and longer while others work. */
export const BUILD_MS = 900_000;
const VERSION = '0.315.0';
/** Discovery of targets is what Prometheus is large by, and no rule needs it. */
const WITHOUT_DISCOVERY = 'remove_all_sd,netgo';

/** Outside of the repository: every checkout of this machine uses the same. */
const CACHE = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'supplier-submissions');
export const PROMTOOL = join(CACHE, `promtool-${VERSION}`, 'promtool');

/** Builds promtool unless it is there; of several that ask, one builds. Rejects where there is no Go. */
export async function obtainPromtool(): Promise<void> {
  const lock = `${PROMTOOL}.lock`;
  mkdirSync(join(PROMTOOL, '..'), { recursive: true });
  while (!existsSync(PROMTOOL)) {
    if (!tryLock(lock)) {
      await pause(500);
      continue;
    }
    try {
      await build();
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

async function build(): Promise<void> {
  const go = goOnPath();
  if (!go)
    throw new Error(`there is neither promtool ${VERSION} in ${CACHE} nor Go on PATH to build it with`);
  const folder = mkdtempSync(join(CACHE, 'building-'));
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
  const goRun = (...args: string[]) => run(go, args, { cwd: folder, env, timeout: BUILD_MS });
  try {
    // In a module of its own: its own module replaces others, which `go install` refuses.
    await goRun('mod', 'init', 'promtool');
    await goRun('get', `github.com/prometheus/prometheus/cmd/promtool@v${VERSION}`);
    const program = 'github.com/prometheus/prometheus/cmd/promtool';
    await goRun('build', '-tags', WITHOUT_DISCOVERY, '-ldflags', '-s -w', '-o', 'promtool', program);
    renameSync(join(folder, 'promtool'), PROMTOOL);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  console.log(`promtool ${VERSION} …`);
  await obtainPromtool();
}
