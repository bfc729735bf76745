import { readFileSync } from 'node:fs';

/** What a program was built from. */
export interface Build {
  readonly version: string;
  /** Of the repository; `source` where it runs from its sources. */
  readonly revision: string;
}

/** Written into bundles when they are made; see deploy/images/bundle.ts. */
declare const BUNDLED_BUILD: Build | undefined;

/** Whether this runs from a bundle: then nothing of the repository lies beside it. */
export const isBundled = typeof BUNDLED_BUILD !== 'undefined';

/** What this program was built from. */
export const build = (): Build => (typeof BUNDLED_BUILD === 'undefined' ? sourceBuild() : BUNDLED_BUILD);

function sourceBuild(): Build {
  const file = new URL('../../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return { version, revision: 'source' };
}
