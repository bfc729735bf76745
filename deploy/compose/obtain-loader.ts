/** The reference reader of Compose files, built from Go's module proxy. As a program: builds it if it is not there yet. */
import { execFile } from 'node:child_process';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { areBuilt, builtOnce, folderOf, goOnPath } from '../go-programs/built-once.ts';

const run = promisify(execFile);

/** Compiling takes a minute on two slow cores with nothing cached, and much longer while others work. */
export const BUILD_MS = 600_000;
const VERSION = '2.16.2';
const NAME = { name: `compose-loader-${VERSION}` };
/** The implementation that Docker Compose is built on. */
const PROGRAM = 'github.com/compose-spec/compose-go/v2/cmd';

export const LOADER = join(folderOf(NAME), 'compose-loader');
/** Whether it is there, or what it takes to build it. */
export const canBeHad = (): boolean => areBuilt(NAME) || goOnPath() !== undefined;

/** Builds the loader unless it is there; of several that ask, one builds. Rejects where there is no Go. */
export async function obtainLoader(): Promise<void> {
  await builtOnce({
    ...NAME,
    withinMs: BUILD_MS,
    build: async (go, GOBIN) => {
      const env = { ...process.env, GOBIN, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
      await run(go, ['install', `${PROGRAM}@v${VERSION}`], { cwd: GOBIN, env, timeout: BUILD_MS });
      renameSync(join(GOBIN, 'cmd'), join(GOBIN, 'compose-loader'));
    },
  });
}

if (import.meta.main) {
  console.log(`Compose loader ${VERSION} …`);
  await obtainLoader();
}
