// As a program it runs in namespaces of its own, as cluster-command.ts starts it with the path of its settings.
import { readFileSync } from 'node:fs';
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
import { progress } from './progress.ts';
import type { PublishedRelease } from './published-release.ts';
import { runScenario, type ScenarioOptions } from './run.ts';

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
  readonly short: boolean;
  /** Whether it serves when everything was done, until it is told to stop. */
  readonly keep: boolean;
  /** When the command began, by the clock. */
  readonly begunMs: number;
  readonly on: Where;
}

/** Resolves to the exit code: 0 when every step held. */
export async function runOn(settings: ClusterSettings): Promise<number> {
  const narrator = openNarrator({ begunMs: settings.begunMs });
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
    await untilStopped(runScenario(cluster, scenarioOf(settings), steps), cluster, stop.asked);
    if (settings.keep) {
      say('serving until Ctrl-C');
      await untilStopped(new Promise(() => undefined), cluster, stop.asked);
    }
  } catch {
    if (cluster && !stop.asked.aborted) await diagnose(cluster, say);
  } finally {
    cluster?.api.close();
    narrator.pause();
  }
  return steps.allHeld() && !stop.asked.aborted ? 0 : 1;
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

function untilStopped(work: Promise<void>, { node }: Cluster, asked: AbortSignal): Promise<void> {
  const stopped = new Promise<never>((_, reject) =>
    asked.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
  );
  return Promise.race([work, stopped, ...(node ? [node.broken] : [])]);
}

/** What helps to find out why a step failed. */
async function diagnose({ shell }: Cluster, say: (line: string) => void): Promise<void> {
  const script = `
    kubectl get pods --namespace ${NAMESPACE} --output wide
    kubectl get events --namespace ${NAMESPACE} --field-selector type=Warning --sort-by .lastTimestamp | tail -n 20
    for pod in $(kubectl get pods --namespace ${NAMESPACE} --output name); do
      kubectl logs --namespace ${NAMESPACE} --all-containers --prefix --tail=200 "$pod" |
        grep -E '"level":"(warn|error|fatal)"' | tail -n 5 | cut -c 1-400 || true
    done`;
  say(await shell(script).catch(reasonOf));
}

if (import.meta.main) {
  process.exitCode = await runOn(JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')));
  // What the node consists of would keep it.
  process.exit();
}
