import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** An SPDX licence or expression. */
  readonly licence: string;
  readonly texts: readonly string[];
}

/** The files that a bundle contains. Paths are relative to `folder`. */
export const filesIn = (metafile: Metafile, folder: string): string[] =>
  Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [join(folder, path)] : [],
    ),
  );

/** The packages of files, by name and version. Throws for a package without a licence. */
export function packagesOf(files: readonly string[]): BundledPackage[] {
  const folders = files.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []);
  const packages = [...new Set(folders)].map(describe);
  const unique = new Map(packages.map((one) => [`${one.name}@${one.version}`, one]));
  return [...unique].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function describe(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    name: string;
    version: string;
    license?: unknown;
  };
  if (typeof license !== 'string') throw new Error(`${name}@${version} has no licence`);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  return {
    name,
    version,
    licence: license,
    texts: files.sort().map((file) => readFileSync(join(folder, file), 'utf8').trim()),
  };
}

/** A bill of materials in CycloneDX JSON, without a time, so that the same packages give the same bytes. */
export function billOfMaterials(image: string, version: string, packages: readonly BundledPackage[]): string {
  const bill = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': image, name: image, version } },
    components: packages.map((one) => ({
      type: 'library',
      'bom-ref': packageUrl(one),
      ...nameOf(one),
      version: one.version,
      licenses: [/[ (]/.test(one.licence) ? { expression: one.licence } : { license: { id: one.licence } }],
      purl: packageUrl(one),
    })),
    dependencies: [{ ref: image, dependsOn: packages.map(packageUrl) }],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

const packageUrl = ({ name, version }: BundledPackage) => `pkg:npm/${name.replace('@', '%40')}@${version}`;

function nameOf({ name }: BundledPackage): { group?: string; name: string } {
  const [scope, own] = name.split('/');
  return own === undefined ? { name } : { group: scope ?? '', name: own };
}

/** The licence texts to distribute, each once, below its packages. */
export function licenceTexts(packages: readonly BundledPackage[]): string {
  const byText = Map.groupBy(packages, ({ texts }) => texts.join('\n\n'));
  const parts = [...byText].map(([text, of]) => {
    const heads = of.map(({ name, version, licence }) => `${name}@${version} (${licence})`);
    return [...heads, '', text || 'The package does not include the text of its licence.'].join('\n');
  });
  return `${parts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`;
}
