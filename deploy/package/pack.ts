import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildOf, bundlePrograms, REQUIRE } from '../images/bundle.ts';
import { billOfMaterials, filesIn, licenceTexts, packagesOf } from '../images/packages.ts';

const PROGRAMS = {
  sss: 'services/staff-cli/src/main.ts',
  'sss-prepare': 'deploy/prepare/prepare-command.ts',
} as const;
/** Packed as MANUAL.md. */
const MANUAL = 'docs/staff.md';

export interface Packed {
  readonly file: string;
  readonly version: string;
  readonly bytes: number;
}

/** Packs the staff command line as `sss-VERSION.tgz` in `folder`. Only Node is needed to run it; the same sources give the same bytes. */
export async function pack(checkout: string, folder: string): Promise<Packed> {
  const staged = join(folder, 'sss');
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(staged, { recursive: true });
  const madeFrom = buildOf(checkout);
  const metafile = await bundlePrograms(checkout, madeFrom, {
    entryPoints: Object.entries(PROGRAMS).map(([out, source]) => ({ in: source, out })),
    outdir: staged,
    // Users may have an older Node than the project.
    target: 'node20',
    banner: { js: `#!/usr/bin/env node\n${REQUIRE}` },
  });
  const { version } = madeFrom;
  const packages = packagesOf(filesIn(metafile, checkout));
  const write = (name: string, text: string) => writeFileSync(join(staged, name), text);
  write('package.json', manifestOf(version));
  write('README.md', readmeOf(version));
  write('THIRD-PARTY-LICENSES', licenceTexts(packages));
  write('sbom.cdx.json', billOfMaterials('supplier-submissions-sss', version, packages));
  copyFileSync(join(checkout, MANUAL), join(staged, 'MANUAL.md'));
  const [made] = npmPack(staged, folder);
  if (!made) throw new Error('npm pack produced no package');
  const file = join(folder, `sss-${version}.tgz`);
  renameSync(join(folder, made.filename), file);
  rmSync(staged, { recursive: true });
  return { file, version, bytes: made.size };
}

/** Packs the folder, without the network. */
function npmPack(staged: string, folder: string): readonly { filename: string; size: number }[] {
  const args = ['pack', '--json', '--offline', '--ignore-scripts', '--pack-destination', folder];
  return JSON.parse(execFileSync('npm', args, { cwd: staged, encoding: 'utf8' }));
}

const manifestOf = (version: string): string =>
  `${JSON.stringify(
    {
      name: '@supplier/sss',
      version,
      description: 'Staff command line of the supplier submission service.',
      type: 'module',
      license: 'UNLICENSED',
      bin: Object.fromEntries(Object.keys(PROGRAMS).map((name) => [name, `${name}.mjs`])),
      engines: { node: '>=20' },
      files: ['*.mjs', 'MANUAL.md', 'THIRD-PARTY-LICENSES', 'sbom.cdx.json'],
    },
    undefined,
    2,
  )}\n`;

const readmeOf = (version: string): string => `# sss

Staff command line of the supplier submission service. It needs Node 20 or later, and has no dependencies.

    npm install --global sss-${version}.tgz
    sss --help
    sss login --context staging
    sss-prepare --help      # for operators: generates the secrets of an installation

Configure it in \`~/.config/sss/config.json\`. MANUAL.md explains the configuration, common tasks and exit codes.
\`source <(sss completion bash)\` enables shell completion.
`;
