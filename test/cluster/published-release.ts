import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PushedChart } from '../../deploy/release/chart.ts';
import { startRegistry } from '../../deploy/release/testing/registry-process.ts';

/** The artefacts of a release, created from the checkout with its own steps. */
export interface PublishedRelease {
  /** The registry's data, from which it is started again beside the node. */
  readonly registry: { readonly folder: string; readonly port: number };
  readonly chart: Pick<PushedChart, 'chart' | 'version'>;
}

const PLATFORM = `linux/${process.arch === 'x64' ? 'amd64' : 'arm64'}`;

/** Pushes images and chart to a registry in `folder`, with the commands of docs/releasing.md. Throws when one fails. */
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
