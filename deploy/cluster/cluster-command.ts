/**
 * Command: `npm run cluster`. Installs the chart on a real control plane whose one node runs pods as processes, in
 * namespaces of its own, and works, upgrades, restarts, rolls back and uninstalls it there.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { obtain as obtainHelm, programOf } from '../../charts/tests/obtain-helm.ts';
import { natsSources, obtainNatsServer } from '../local/nats/obtain.ts';
import { takeInstanceLock } from '../local/state/instance-lock.ts';
import { reasonOf } from '../local/terminal.ts';
import type { ClusterSettings } from './cluster-process.ts';
import { obtainControlPlane } from './control-plane/obtain.ts';
import { lacksNamespaces, runInOwnNamespaces } from './node/index.ts';

const CHECKOUT = resolve(import.meta.dirname, '../..');
const PER_SECOND = { full: 100, short: 20 };

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      short: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      helm: { type: 'string', default: '4' },
      rate: { type: 'string' },
    },
  });
  const major = values.helm === '3' ? 3 : values.helm === '4' ? 4 : undefined;
  if (major === undefined) throw new Error('--helm is 3 or 4');
  const perSecond = Number(values.rate ?? (values.short ? PER_SECOND.short : PER_SECOND.full));
  if (!(perSecond >= 1 && perSecond <= 1_000)) throw new Error('--rate is between 1 and 1000');
  const lacks = lacksNamespaces();
  if (lacks !== undefined) throw new Error(lacks);

  const run = join(CHECKOUT, '.run');
  mkdirSync(run, { recursive: true });
  const folder = join(run, 'cluster');
  const release = takeInstanceLock(join(run, 'cluster.lock'), folder);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder);
    // What may have to be fetched, while there is a network.
    const programs = await obtainControlPlane();
    await obtainHelm(major);
    const nats = await obtainNatsServer(natsSources(join(run, 'tools')));
    const { short, keep, json } = values;
    const settings: ClusterSettings = {
      ...{ checkout: CHECKOUT, folder, programs, helm: programOf(major), natsServer: nats.path },
      ...{ perSecond, short, keep, json },
    };
    const file = join(folder, 'settings.json');
    writeFileSync(file, JSON.stringify(settings));
    const inside = join(import.meta.dirname, 'cluster-process.ts');
    return await runInOwnNamespaces([process.execPath, ...process.execArgv, inside, file]);
  } finally {
    release();
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(reasonOf(error));
  process.exitCode = 1;
}
