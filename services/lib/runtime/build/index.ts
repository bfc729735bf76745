import { readFileSync } from 'node:fs';

export interface Build {
  readonly version: string;
  /** Git revision of the repository; `source` when running from source. */
  readonly revision: string;
}

/** Written into bundles at build time; see deploy/images/bundle.ts. */
declare const BUNDLED_BUILD: Build | undefined;

/** Whether this runs from a bundle, without the rest of the repository beside it. */
export const isBundled = typeof BUNDLED_BUILD !== 'undefined';

export const build = (): Build => (typeof BUNDLED_BUILD === 'undefined' ? sourceBuild() : BUNDLED_BUILD);

function sourceBuild(): Build {
  const file = new URL('../../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return { version, revision: 'source' };
}
