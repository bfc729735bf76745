/** The linter of workflows, built from Go's module proxy. As a program: builds it if it is not there yet. */
import { join } from 'node:path';
import { areThere, folderOf, obtainedOnce } from './obtained-once.ts';
import { findGo } from './on-path.ts';
import { runGo } from './run-go.ts';

/** Compiling takes a quarter of a minute, and much longer while others work. */
const TRY_MS = 300_000;
export const BUILD_MS = 2 * TRY_MS;
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
      await runGo(['install', source], { what: `actionlint ${VERSION}`, cwd: GOBIN, env, withinMs: TRY_MS });
    },
  });
}

if (import.meta.main) {
  console.log(`actionlint ${VERSION} …`);
  await obtainActionlint();
}
