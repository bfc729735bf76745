import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { imageTargets } from '../images/targets.ts';
import { CHART } from './check.ts';
import { chartsIn, imageIn, type Registry, repositoryIn } from './registry.ts';

export interface PushedImage {
  readonly name: string;
  /** With the registry, without tag and digest. */
  readonly image: string;
  /** Of the manifest list. */
  readonly digest: string;
}

/** Written by `push`, read by `chart`. */
export interface PushedRelease {
  readonly version: string;
  readonly revision: string;
  readonly images: readonly PushedImage[];
}

export interface ChartOptions {
  readonly registry: Registry;
  readonly version: string;
  readonly revision: string;
  readonly pushed: PushedRelease;
  readonly folder: string;
}

const HELM_MS = 120_000;

/**
 * Packages the chart as `supplier-submissions-VERSION.tgz`, with the release's images by digest as its defaults. Returns the
 * file. Throws when an image is missing, or belongs to another release or registry.
 */
export function packageChart(checkout: string, helm: string, options: ChartOptions): string {
  const { registry, version, folder } = options;
  const digests = digestsFor(options);
  const work = mkdtempSync(join(tmpdir(), 'chart-'));
  try {
    const chart = join(work, 'supplier-submissions');
    cpSync(join(checkout, CHART), chart, { recursive: true });
    edit(join(chart, 'values.yaml'), (values) => {
      values.setIn(['image', 'registry'], registry.host);
      values.setIn(['image', 'repository'], repositoryIn(registry));
      values.setIn(['image', 'digests'], values.createNode(digests));
    });
    edit(join(chart, 'values-kind.yaml'), (values) => values.delete('image'));
    mkdirSync(folder, { recursive: true });
    const versions = ['--version', version, '--app-version', version];
    execFileSync(helm, ['package', chart, ...versions, '--destination', folder], {
      stdio: ['ignore', 'ignore', 'inherit'],
      timeout: HELM_MS,
    });
    return join(folder, `supplier-submissions-${version}.tgz`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function digestsFor({ registry, version, revision, pushed }: ChartOptions): Record<string, string> {
  if (pushed.version !== version || pushed.revision !== revision)
    throw new Error(
      `the images are for ${pushed.version} (${pushed.revision}), not ${version} (${revision}): push the images of this version first`,
    );
  const wanted = imageTargets.map(({ name }) => name);
  const found = pushed.images.filter(({ name }) => wanted.includes(name));
  const missing = wanted.filter((name) => !found.some((one) => one.name === name));
  if (missing.length > 0) throw new Error(`missing images: ${missing.join(', ')}; push all images first`);
  for (const { name, image } of found)
    if (image !== imageIn(registry, name))
      throw new Error(`the image ${image} is not in the registry: ${imageIn(registry, name)}`);
  return Object.fromEntries(found.map(({ name, digest }) => [name, digest]));
}

/** Edits a YAML file, keeping its comments. */
function edit(file: string, change: (document: ReturnType<typeof parseDocument>) => void): void {
  const document = parseDocument(readFileSync(file, 'utf8'));
  change(document);
  writeFileSync(file, document.toString({ lineWidth: 0 }));
}

export interface PushedChart {
  /** Without `oci://`, tag and digest. */
  readonly chart: string;
  readonly version: string;
  readonly digest: string;
}

/** Pushes a packaged chart. Throws with Helm's error. */
export function pushChart(
  helm: string,
  file: string,
  { registry, version, plainHttp }: { registry: Registry; version: string; plainHttp: boolean },
): PushedChart {
  const charts = chartsIn(registry);
  const { status, stdout, stderr, error } = spawnSync(
    helm,
    ['push', file, charts, ...(plainHttp ? ['--plain-http'] : [])],
    { encoding: 'utf8', timeout: HELM_MS },
  );
  const said = `${stdout}${stderr}`;
  const [, digest] = /^Digest: (sha256:[0-9a-f]{64})$/m.exec(said) ?? [];
  if (status !== 0 || !digest)
    throw new Error(`cannot push the chart to ${charts}: ${said.trim() || error?.message}`);
  return { chart: `${charts.replace('oci://', '')}/supplier-submissions`, version, digest };
}
