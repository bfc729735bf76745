import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../deploy/cluster/cluster.ts';
import type { PushedChart } from '../../deploy/release/chart.ts';
import { startRegistry } from '../../deploy/release/testing/registry-process.ts';
import type { Facts } from './progress.ts';

/** What a release publishes, made by its own steps from the checkout. */
export interface PublishedRelease {
  /** Of the registry, which is started again where the node is. */
  readonly registry: { readonly folder: string; readonly port: number };
  readonly chart: Pick<PushedChart, 'chart' | 'version'>;
}

const PLATFORM = `linux/${process.arch === 'x64' ? 'amd64' : 'arm64'}`;
const INSTALL_MS = 240_000;

/** Pushes images and chart to a registry in `folder`, by the commands of docs/releasing.md. Throws when one fails. */
export async function publish(checkout: string, folder: string): Promise<PublishedRelease> {
  mkdirSync(folder);
  const registry = await startRegistry({ folder });
  try {
    const out = join(folder, 'release');
    const flags = ['--registry', registry.host, '--plain-http', '--trial', '--out', out];
    const step = (...args: string[]) =>
      execFileSync('npm', ['run', '--silent', 'release', '--', ...args, ...flags], {
        cwd: checkout,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    step('push', '--debootstrap', '--platform', PLATFORM);
    step('chart');
    const chart = JSON.parse(readFileSync(join(out, 'chart.json'), 'utf8')) as PushedChart;
    return { registry: { folder, port: Number(registry.host.split(':')[1]) }, chart };
  } finally {
    await registry.stop();
  }
}

/**
 * Installs the chart from its registry with the values for kind and the issuer of docs/install.md, whose images the node
 * pulls by their digests; then takes it away.
 */
export async function installPublished(
  { shell }: Cluster,
  { registry, chart }: PublishedRelease,
): Promise<Facts> {
  const { host, stop } = await startRegistry(registry);
  try {
    const from = `oci://${chart.chart} --version ${chart.version} --plain-http`;
    await shell(`
      kubectl create namespace leads
      kubectl label namespace leads pod-security.kubernetes.io/enforce=restricted
      helm pull ${from} --untar --untardir published
      helm install leads ${from} --namespace leads --wait --timeout ${INSTALL_MS / 1_000}s \\
        --values published/supplier-submissions/values-kind.yaml --values .run/trial/values.json \\
        --set-json "serviceTokens.jwks=$(kubectl get --raw /openid/v1/jwks)"`);
    const tested = await shell('helm test leads --namespace leads --logs');
    const images = await shell(
      `kubectl get pods -n leads -o jsonpath='{range .items[*].spec.containers[*]}{.image}{"\\n"}{end}'`,
    );
    const ours = new Set(
      images
        .trim()
        .split('\n')
        .filter((image) => image.includes('supplier-submissions')),
    );
    const foreign = [...ours].filter(
      (image) => !(image.startsWith(`${host}/`) && image.includes('@sha256:')),
    );
    if (ours.size === 0 || foreign.length > 0)
      throw new Error(
        `images that are not the registry's, by digest: ${foreign.join(', ') || 'no image is'}`,
      );
    if (!tested.includes('asks for a credential')) throw new Error(`helm test says ${tested}`);
    await shell('helm uninstall leads -n leads --wait && kubectl delete namespace leads');
    return { chart: `${chart.chart}:${chart.version}`, 'images pulled by digest': ours.size };
  } finally {
    await stop();
  }
}
