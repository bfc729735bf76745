// What runs in namespaces of its own, as cluster-command.ts starts it with the path of its settings.
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenForStop } from '../local/stop-request.ts';
import { reasonOf } from '../local/terminal.ts';
import { type Cluster, startCluster } from './cluster.ts';
import type { ControlPlanePrograms } from './control-plane/obtain.ts';
import type { Version } from './image-table.ts';
import { NAMESPACE } from './scenario/installation.ts';
import { type Progress, progress } from './scenario/progress.ts';
import { runScenario, TAGS } from './scenario/run.ts';
import { workloadsOf } from './scenario/workloads.ts';

export interface ClusterSettings {
  readonly checkout: string;
  readonly folder: string;
  readonly programs: ControlPlanePrograms;
  /** Paths of programs. */
  readonly helm: string;
  readonly natsServer: string;
  /** Creates a second while pods are replaced. */
  readonly perSecond: number;
  readonly short: boolean;
  /** Whether it serves when everything was done, until it is told to stop. */
  readonly keep: boolean;
  readonly json: boolean;
}

/** Later than any of ours. */
const MIGRATION = '99990101000000_trial';
const VERSIONS: readonly Version[] = [
  { tag: TAGS.first },
  { tag: TAGS.broken, image: 'submission', amend: withMigration('SELECT 1 / 0;') },
  { tag: TAGS.mended, image: 'submission', amend: withMigration("COMMENT ON TABLE application IS 'trial';") },
];
const LOG_LINES = 20;
const NOTE_MS = 10_000;

async function main(settings: ClusterSettings): Promise<number> {
  const say = settings.json ? console.error : console.log;
  const steps = progress(say);
  const stop = listenForStop();
  let cluster: Cluster | undefined;
  try {
    await steps.step('a control plane and a node of processes', async () => {
      cluster = await startCluster({ ...settings, versions: VERSIONS });
      return { node: cluster.node.name, kubeconfig: cluster.kubeconfig };
    });
    if (cluster) noteUnwell(cluster, join(settings.folder, 'unwell.log'));
    if (cluster) await untilStopped(runScenario(cluster, settings, steps), cluster, stop.asked);
    if (settings.keep && cluster && !stop.asked.aborted) await keep(cluster, say, stop.asked);
  } catch {
    if (cluster) await diagnose(cluster, say);
  } finally {
    await cluster?.stop();
  }
  if (settings.json) console.log(JSON.stringify(steps.results, null, 2));
  return isGood(steps, stop.asked) ? 0 : 1;
}

const isGood = ({ results }: Progress, stopped: AbortSignal) =>
  !stopped.aborted && results.every(({ held }) => held);

function untilStopped(work: Promise<void>, { broken }: Cluster, asked: AbortSignal): Promise<void> {
  const stopped = new Promise<never>((_, reject) =>
    asked.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
  );
  return Promise.race([work, stopped, broken]);
}

async function keep(cluster: Cluster, say: (line: string) => void, asked: AbortSignal): Promise<void> {
  say(`serving until Ctrl-C; in its network: nsenter --target ${process.pid} --net`);
  say(`KUBECONFIG=${cluster.kubeconfig}`);
  await Promise.race([new Promise((resolve) => asked.addEventListener('abort', resolve)), cluster.broken]);
}

/** Notes now and then what is not well, for whoever wants to know why something takes long. */
function noteUnwell({ api }: Cluster, file: string): void {
  const workloads = workloadsOf(api, NAMESPACE);
  const note = async () => {
    const lines = await workloads.unwell().catch((error: unknown) => [reasonOf(error)]);
    appendFileSync(file, lines.map((line) => `${new Date().toISOString()} ${line}\n`).join(''));
  };
  setInterval(note, NOTE_MS).unref();
}

/** What was not as it should be when a step did not hold. */
async function diagnose({ api, node }: Cluster, say: (line: string) => void): Promise<void> {
  try {
    const workloads = workloadsOf(api, NAMESPACE);
    const unwell = await workloads.unwell();
    for (const line of unwell) say(`  ${line}`);
    for (const { metadata, status } of await workloads.pods()) {
      for (const { name } of status.containerStatuses ?? []) {
        const warnings = (await node.podLog(NAMESPACE, metadata.name, name))
          .split('\n')
          .filter((line) => /"level":"(?:warn|error|fatal)"/.test(line));
        for (const line of warnings.slice(-LOG_LINES)) say(`    ${metadata.name} ${name}: ${line}`);
      }
      if (!unwell.some((line) => line.startsWith(`${metadata.name}:`))) continue;
      const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
      for (const { name } of all) {
        const text = (await node.podLog(NAMESPACE, metadata.name, name)).trimEnd();
        const last = text === '' ? [] : text.split('\n').slice(-LOG_LINES);
        for (const line of last) say(`    ${metadata.name} ${name}: ${line}`);
      }
    }
  } catch (error) {
    say(`  nothing more can be said: ${reasonOf(error)}`);
  }
}

function withMigration(statement: string) {
  return (folder: string) => {
    const path = join(folder, 'prisma/migrations', MIGRATION);
    mkdirSync(path);
    writeFileSync(join(path, 'migration.sql'), `${statement}\n`);
  };
}

process.exitCode = await main(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
