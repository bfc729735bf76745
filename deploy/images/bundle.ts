import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type BuildOptions, build as esbuild, type Metafile } from 'esbuild';
import { type BundledPackage, billOfMaterials, filesIn, licenceTexts, packagesOf } from './packages.ts';
import { ofCommit } from './sources.ts';
import type { ImageTarget } from './targets.ts';

/** Defines `require` for CommonJS packages in a bundle. */
export const REQUIRE = `import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);`;

export interface Bundle {
  readonly name: string;
  readonly folder: string;
  readonly bytes: number;
  readonly packages: readonly BundledPackage[];
}

/**
 * Writes the files of one image to `folder`/NAME: bundled entries, the data they read, a bill of materials, and licences.
 * The same sources give the same bytes, dated with `SOURCE_DATE_EPOCH`. Only Node is needed to run them.
 */
export async function bundle(checkout: string, target: ImageTarget, folder: string): Promise<Bundle> {
  const image = join(folder, target.name);
  const service = join(checkout, 'services', target.service);
  rmSync(image, { recursive: true, force: true });
  mkdirSync(image, { recursive: true });
  const build = buildOf(checkout);
  const metafile = await bundlePrograms(checkout, build, {
    entryPoints: target.entries.map(({ name, source }) => ({ in: `services/${source}`, out: name })),
    outdir: join(image, 'src'),
    splitting: true,
    // In one folder, so that code finds the data beside its source.
    chunkNames: 'shared-[hash]',
  });
  for (const data of target.data) cpSync(join(service, data), join(image, data), { recursive: true });
  const inside = filesIn(metafile, checkout);
  const packages = packagesOf(
    target.madeOf ? [...inside, ...listedIn(join(service, target.madeOf))] : inside,
  );
  const title = `supplier-submissions-${target.name}`;
  writeFileSync(join(image, 'sbom.cdx.json'), billOfMaterials(title, build.version, packages));
  writeFileSync(join(image, 'THIRD-PARTY-LICENSES'), licenceTexts(packages));
  setTimes(image);
  const bytes = Object.values(metafile.outputs).reduce((sum, output) => sum + output.bytes, 0);
  return { name: target.name, folder: image, bytes, packages };
}

/** Bundles programs of the checkout as `.mjs` files. Names are kept, so that stack traces can be read. */
export async function bundlePrograms(
  checkout: string,
  build: Build,
  options: BuildOptions,
): Promise<Metafile> {
  const { metafile } = await esbuild({
    ...{ absWorkingDir: checkout, bundle: true, platform: 'node', format: 'esm', target: 'node24' },
    outExtension: { '.js': '.mjs' },
    define: { BUNDLED_BUILD: JSON.stringify(build) },
    ...{ minifySyntax: true, minifyWhitespace: true, legalComments: 'none' },
    banner: { js: REQUIRE },
    logLevel: 'silent',
    ...options,
    metafile: true,
  });
  return metafile;
}

/** The files that a build listed, with paths relative to the list. */
const listedIn = (list: string): string[] =>
  (JSON.parse(readFileSync(list, 'utf8')) as string[]).map((path) => join(dirname(list), path));

export interface Build {
  readonly version: string;
  readonly revision: string;
}

/** The version and revision of a build. Image builds have no git history, so REVISION names the revision. */
export function buildOf(checkout: string): Build {
  const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as { version: string };
  return { version, revision: process.env.REVISION || (ofCommit(checkout, '%H') ?? 'unknown') };
}

/** Sets one time for all files, so that images have the same layers. */
function setTimes(folder: string): void {
  const seconds = Number(process.env.SOURCE_DATE_EPOCH ?? 0);
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true });
  for (const { parentPath, name } of paths) utimesSync(join(parentPath, name), seconds, seconds);
  utimesSync(folder, seconds, seconds);
}
