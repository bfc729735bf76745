/** Prometheus' own tool for rules, built from Go's module proxy. As a program: builds it if it is not there yet. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { areThere, folderOf, obtainedOnce } from './obtained-once.ts';
import { findGo } from './on-path.ts';
import { runGo } from './run-go.ts';

/** Compiling takes two minutes on two slow cores with nothing cached, and much longer while others work. */
const TRY_MS = 900_000;
export const BUILD_MS = 2 * TRY_MS;
const VERSION = '0.315.0';
const NAME = { name: `promtool-${VERSION}` };
const PROGRAM = 'github.com/prometheus/prometheus/cmd/promtool';
/** Discovery of targets is what Prometheus is large by, and no rule needs it. */
const TAGS = 'remove_all_sd,netgo';

export const PROMTOOL = join(folderOf(NAME), 'promtool');
/** Whether it is there, or what it takes to build it. */
export const canBeHad = (): boolean => areThere(NAME) || findGo() !== undefined;

/** Builds promtool unless it is there; of several that ask, one builds. Rejects where there is no Go. */
export async function obtainPromtool(): Promise<void> {
  await obtainedOnce({ ...NAME, withinMs: BUILD_MS, obtain: build });
}

async function build(folder: string): Promise<void> {
  const work = mkdtempSync(join(tmpdir(), 'promtool-'));
  const env = { ...process.env, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
  const goRun = (...args: string[]) =>
    runGo(args, { what: `promtool ${VERSION}`, cwd: work, env, withinMs: TRY_MS });
  try {
    // In a module of our own: `go install` refuses modules that replace others.
    await goRun('mod', 'init', 'promtool');
    await goRun('get', `${PROGRAM}@v${VERSION}`);
    await goRun('build', '-tags', TAGS, '-ldflags', '-s -w', '-o', join(folder, 'promtool'), PROGRAM);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  console.log(`promtool ${VERSION} …`);
  await obtainPromtool();
}
