import { readFileSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';

/** What a process was built from. */
interface Build {
  readonly version: string;
  /** Of the repository; `source` where a process runs from its sources. */
  readonly revision: string;
}

/** Written into bundles when they are made; see deploy/images/bundle.ts. */
declare const BUNDLED_BUILD: Build | undefined;

/** Shows what the process was built from, as labels of a gauge that is always 1. */
export function measureBuild(registry: Registry): void {
  const build = typeof BUNDLED_BUILD === 'undefined' ? sourceBuild() : BUNDLED_BUILD;
  const gauge = new Gauge({
    name: 'sss_build_info',
    help: 'Always 1: its labels are the version and the revision that the process was built from.',
    labelNames: ['version', 'revision'] as const,
    registers: [registry],
  });
  gauge.set({ version: build.version, revision: build.revision }, 1);
}

function sourceBuild(): Build {
  const file = new URL('../../../package.json', import.meta.url);
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  return { version, revision: 'source' };
}
