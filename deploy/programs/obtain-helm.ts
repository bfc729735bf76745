/** The Helm of each major version, built from Go's module proxy. As a program: builds what is not there yet. */
import { join } from 'node:path';
import { areThere, folderOf, obtainedOnce } from './obtained-once.ts';
import { findGo } from './on-path.ts';
import { runGo } from './run-go.ts';

/** Compiling takes four minutes on two slow cores with nothing cached, and as long again while others work. */
const TRY_MS = 900_000;
export const BUILD_MS = 2 * TRY_MS;
const RELEASES = {
  3: { version: '3.22.0', source: 'helm.sh/helm/v3/cmd/helm' },
  4: { version: '4.3.1', source: 'helm.sh/helm/v4/cmd/helm' },
} as const;
export type Major = keyof typeof RELEASES;

const nameOf = (major: Major) => ({ name: `helm-${RELEASES[major].version}` });
export const programOf = (major: Major) => join(folderOf(nameOf(major)), 'helm');
/** Whether there is a Helm, or what it takes to build one. */
export const canBeHad = (major: Major) => areThere(nameOf(major)) || findGo() !== undefined;

/** Builds Helm unless it is there; of several that ask, one builds. */
export async function obtain(major: Major): Promise<void> {
  const { version, source } = RELEASES[major];
  await obtainedOnce({
    ...nameOf(major),
    withinMs: BUILD_MS,
    obtain: async (GOBIN) => {
      const env = { ...process.env, GOBIN, GOFLAGS: '-mod=mod', CGO_ENABLED: '0' };
      const what = { what: `Helm ${version}`, cwd: GOBIN, env, withinMs: TRY_MS };
      await runGo(['install', `${source}@v${version}`], what);
    },
  });
}

if (import.meta.main) {
  for (const major of [3, 4] as const) {
    console.log(`Helm ${RELEASES[major].version} …`);
    await obtain(major);
  }
}
