/** The linter of workflows, built from Go's module proxy. As a program: builds it if it is not there yet. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areThere, folderOf, obtainedOnce } from './obtained-once.ts';
import { findGo, requireGo } from './on-path.ts';

const run = promisify(execFile);

/** Compiling takes a quarter of a minute, and much longer while others work. */
export const BUILD_MS = 300_000;
const VERSION = '1.7.12';
const NAME = { name: `actionlint-${VERSION}` };

export const ACTIONLINT = join(folderOf(NAME), 'actionlint');
/** Whether it is there, or what it takes to build it. */
export const canBeHad = (): boolean => areThere(NAME) || findGo() !== undefined;

/** Builds actionlint unless it is there; of several that ask, one builds. Rejects where there is no Go. */
export async function obtainActionlint(): Promise<void> {
  await obtainedOnce({
    ...NAME,
    withinMs: BUILD_MS,
    obtain: async (GOBIN) => {
      const env = { ...process.env, GOBIN, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
      const source = `github.com/rhysd/actionlint/cmd/actionlint@v${VERSION}`;
      await run(requireGo(), ['install', source], { cwd: GOBIN, env, timeout: BUILD_MS });
    },
  });
}

if (import.meta.main) {
  console.log(`actionlint ${VERSION} …`);
  await obtainActionlint();
}
