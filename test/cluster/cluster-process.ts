// As a program it runs in namespaces of its own, as cluster-command.ts starts it with the path of its settings.
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, clusterOf, knownCluster } from '../../deploy/cluster/cluster.ts';
import { TAGS } from '../../deploy/cluster/images/node-images.ts';
import { startNode } from '../../deploy/cluster/node/node.ts';
import type { Certificates } from '../../deploy/local/identity/make-certificates.ts';
import { listenForStop } from '../../deploy/local/stop-request.ts';
import { reasonOf } from '../../deploy/local/terminal.ts';
import { NAMESPACE } from './installation.ts';
import { openNarrator } from './narrator.ts';
import { LOGIN, type OutsideCertificates, RECEIVER } from './outside-certificates.ts';
import { type Progress, progress } from './progress.ts';
import type { PublishedRelease } from './published-release.ts';
import { runScenario, type ScenarioOptions } from './run.ts';
import { workloadsOf } from './workloads.ts';

/** A node of our own, with what was made for it, or a cluster that kubectl knows, and where it has our images from. */
export type Where =
  | {
      readonly program: string;
      readonly images: string;
      readonly outside: OutsideCertificates;
      /** Path of the staff's command line, as npm installed its package. */
      readonly sss: string;
      /** Absent where this machine has no registry to publish to. */
      readonly published: PublishedRelease | undefined;
    }
  | { readonly context: string; readonly registry: string; readonly tag: string };

export interface ClusterSettings {
  readonly checkout: string;
  readonly folder: string;
  /** Path of the program. */
  readonly helm: string;
  /** Creates a second while pods are replaced. */
  readonly perSecond: number;
  readonly short: boolean;
  /** Whether it serves when everything was done, until it is told to stop. */
  readonly keep: boolean;
  readonly json: boolean;
  /** When the command began, by the clock. */
  readonly begunMs: number;
  readonly on: Where;
}

const LOG_LINES = 5;
const LOG_LINE = 300;
const NOTE_MS = 10_000;

/** Resolves to the exit code: 0 when every step held. */
export async function runOn(settings: ClusterSettings): Promise<number> {
  const narrator = openNarrator(settings.json ? 2 : 1, { begunMs: settings.begunMs });
  const { say } = narrator;
  const steps = progress(narrator);
  const stop = listenForStop();
  let cluster: Cluster | undefined;
  try {
    await steps.step('a cluster', async () => {
      cluster = await openCluster(settings);
      const { gitVersion } = await cluster.api.get<{ gitVersion: string }>('/version');
      return { Kubernetes: gitVersion, kubectl: cluster.command.join(' ') };
    });
    if (!cluster) return 1;
    noteUnwell(cluster, join(settings.folder, 'unwell.log'));
    await untilStopped(runScenario(cluster, scenarioOf(settings), steps), cluster, stop.asked);
    if (settings.keep) {
      say('serving until Ctrl-C');
      await untilStopped(new Promise(() => undefined), cluster, stop.asked);
    }
  } catch {
    if (cluster && !stop.asked.aborted) await diagnose(cluster, say);
  } finally {
    cluster?.api.close();
    await narrator.close();
  }
  if (settings.json) console.log(JSON.stringify(steps.results, null, 2));
  return isGood(steps, stop.asked) ? 0 : 1;
}

async function openCluster({ on, ...options }: ClusterSettings): Promise<Cluster> {
  if ('context' in on) return knownCluster(on.context, options);
  const hosts = { [RECEIVER.host]: RECEIVER.address, [LOGIN.host]: LOGIN.address };
  const { program, images } = on;
  const folder = join(options.folder, 'node');
  return clusterOf(await startNode({ program, images: [images], folder, hosts }), program, options);
}

function scenarioOf({ on, short, ...settings }: ClusterSettings): ScenarioOptions {
  const image = 'context' in on ? { registry: on.registry, tag: on.tag } : { tag: TAGS.first };
  const registry = 'context' in on ? on.registry : 'localhost';
  return {
    ...settings,
    short,
    images: { image },
    gateway: `${registry}/supplier-submissions-gateway:${image.tag}`,
    receiver: 'context' in on ? undefined : receiverOf(on.outside.receiver),
    login: 'context' in on ? undefined : on.outside.login,
    versions: 'context' in on || short ? undefined : TAGS,
    handedOver: 'context' in on ? undefined : on,
  };
}

const receiverOf = ({ certificate, key }: Certificates) => ({
  ...RECEIVER,
  cert: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
});

const isGood = ({ results }: Progress, stopped: AbortSignal) =>
  !stopped.aborted && results.every(({ held }) => held);

function untilStopped(work: Promise<void>, { node }: Cluster, asked: AbortSignal): Promise<void> {
  const stopped = new Promise<never>((_, reject) =>
    asked.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
  );
  return Promise.race([work, stopped, ...(node ? [node.broken] : [])]);
}

/** Notes now and then what is not well, to show why something takes long. */
function noteUnwell({ api }: Cluster, file: string): void {
  const workloads = workloadsOf(api, NAMESPACE);
  const note = async () => {
    const lines = await workloads.unwell().catch((error: unknown) => [reasonOf(error)]);
    appendFileSync(file, lines.map((line) => `${new Date().toISOString()} ${line}\n`).join(''));
  };
  setInterval(note, NOTE_MS).unref();
}

/** What was not as it should be when a step did not hold. */
async function diagnose(cluster: Cluster, say: (line: string) => void): Promise<void> {
  const logs = (pod: string) =>
    cluster
      .kubectl('logs', '--namespace', NAMESPACE, '--all-containers', '--prefix', '--tail=200', pod)
      .catch(reasonOf);
  try {
    const workloads = workloadsOf(cluster.api, NAMESPACE);
    const unwell = await workloads.unwell();
    for (const line of unwell) say(`  ${line}`);
    for (const { metadata } of await workloads.pods()) {
      const isUnwell = unwell.some((line) => line.startsWith(`${metadata.name}:`));
      const lines = (await logs(metadata.name)).trimEnd().split('\n');
      const told = isUnwell ? lines : lines.filter((line) => /"level":"(?:warn|error|fatal)"/.test(line));
      for (const line of told.slice(-LOG_LINES)) say(`    ${line.slice(0, LOG_LINE)}`);
    }
  } catch (error) {
    say(`  nothing more can be said: ${reasonOf(error)}`);
  }
}

if (import.meta.main) {
  process.exitCode = await runOn(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
  // What the node consists of would keep it.
  process.exit();
}
