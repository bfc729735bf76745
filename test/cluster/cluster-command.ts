/**
 * Command: `npm run cluster`. Installs the chart on a cluster, by default a temporary one of its own. Then uses,
 * upgrades, restarts, disturbs, rolls back and uninstalls it.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { obtainNatsServer } from '../../deploy/local/nats/obtain.ts';
import { takeInstanceLock } from '../../deploy/local/state/instance-lock.ts';
import { runCommand } from '../../deploy/local/terminal.ts';
import { pack } from '../../deploy/package/pack.ts';
import { kubernetes } from '../../deploy/programs/kubernetes/kubernetes.ts';
import { helm } from '../../deploy/programs/tools.ts';
import { lacksRegistry } from '../../deploy/release/testing/registry-process.ts';
import { runOn } from './cluster-process.ts';
import { saveImages } from './images/node-images.ts';
import { lacksNode, runInOwnNamespaces } from './node/namespaces.ts';
import { outsideCertificates } from './outside.ts';
import { publish } from './prepared-production.ts';
import { now, pause, say } from './progress.ts';
import type { ClusterSettings } from './run.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      context: { type: 'string' },
      registry: { type: 'string', default: 'localhost' },
      tag: { type: 'string', default: 'dev' },
      short: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      helm: { type: 'string', default: '4' },
    },
  });
  const major = values.helm === '3' ? 3 : values.helm === '4' ? 4 : undefined;
  if (major === undefined) throw new Error('--helm must be 3 or 4');
  const lacks = values.context === undefined ? lacksNode() : undefined;
  if (lacks !== undefined) throw new Error(lacks);

  const run = join(CHECKOUT, '.run');
  mkdirSync(join(run, 'tools'), { recursive: true });
  const folder = join(run, 'cluster');
  const release = takeInstanceLock(join(run, 'cluster.lock'), folder);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    now(`Helm ${major}`);
    await helm[major].obtain();
    const { context, registry, tag, short, keep } = values;
    const common = { checkout: CHECKOUT, folder, helm: helm[major].path, short, keep };
    if (context !== undefined) return await runOn({ ...common, on: { context, registry, tag } });
    // Downloads happen first, while there is a network.
    now('Kubernetes');
    const program = await kubernetes.obtain();
    now('NATS');
    const natsServer = await obtainNatsServer();
    const outside = await outsideCertificates(folder);
    const authority = readFileSync(outside.receiver.authority, 'utf8');
    const images = saveImages({ ...common, natsServer, authority, versions: !short, say: now });
    now('the package of sss');
    const { file: packed } = await pack(CHECKOUT, join(folder, 'packages'));
    const prefix = join(folder, 'sss');
    // As a user does who has only the file.
    execFileSync('npm', ['install', '--global', '--offline', '--prefix', prefix, packed], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const lacksPublished = short ? 'this takes some minutes' : lacksRegistry();
    if (lacksPublished !== undefined) {
      if (!short && process.env.CI === 'true') throw new Error(lacksPublished);
      say(`skipped: the release from its registry, because ${lacksPublished}`);
    }
    if (!lacksPublished) now('a release, pushed to a registry');
    const published = lacksPublished ? undefined : await publish(CHECKOUT, join(folder, 'published'));
    const sss = join(prefix, 'bin', 'sss');
    const settings: ClusterSettings = { ...common, on: { program, images, outside, sss, published } };
    const file = join(folder, 'settings.json');
    writeFileSync(file, JSON.stringify(settings));
    pause();
    const inside = join(import.meta.dirname, 'cluster-process.ts');
    return await runInOwnNamespaces([process.execPath, ...process.execArgv, inside, file]);
  } finally {
    pause();
    release();
  }
}

await runCommand(async () => {
  process.exitCode = await main();
});
