// As a program it runs in separate namespaces: cluster-command.ts starts it with the path of its settings.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listenForStop } from '../../deploy/local/stop-request.ts';
import { reasonOf } from '../../deploy/local/terminal.ts';
import { type Cluster, openCluster } from './cluster.ts';
import { CONTENT_PROFILE, NAMESPACE } from './installation.ts';
import { startNode } from './node/node.ts';
import { OUTSIDE } from './outside.ts';
import { pause, say, step } from './progress.ts';
import { type ClusterSettings, runScenario } from './run.ts';

/** Resolves to the exit code: 0 when every step passed. */
export async function runOn(settings: ClusterSettings): Promise<number> {
  const { asked } = listenForStop();
  let cluster: Cluster | undefined;
  try {
    await step('a cluster', async () => {
      cluster = await open(settings);
      const { gitVersion } = await cluster.api.get<{ gitVersion: string }>('/version');
      return { Kubernetes: gitVersion, kubectl: cluster.command.join(' ') };
    });
    if (!cluster) return 1;
    await untilStopped(runScenario(cluster, settings), cluster, asked);
    if (settings.keep) {
      say('running; press Ctrl-C to stop');
      await untilStopped(new Promise(() => undefined), cluster, asked);
    }
    return 0;
  } catch (error) {
    pause();
    say(`    ${reasonOf(error).replaceAll('\n', '\n    ')}`);
    if (cluster && !asked.aborted) await diagnose(cluster);
    return 1;
  } finally {
    cluster?.api.close();
  }
}

const CONTENT_SECCOMP = 'charts/supplier-submissions/files/content-seccomp.json';

async function open({ on, helm, ...options }: ClusterSettings): Promise<Cluster> {
  if ('context' in on)
    return openCluster(['kubectl', '--context', on.context], [helm, '--kube-context', on.context], options);
  const hosts = Object.fromEntries(Object.values(OUTSIDE).map(({ host, address }) => [host, address]));
  const { program, images } = on;
  const folder = join(options.folder, 'node');
  const seccomp = { [CONTENT_PROFILE]: join(options.checkout, CONTENT_SECCOMP) };
  const node = await startNode({ program, images: [images], folder, hosts, seccomp });
  const config = ['--kubeconfig', node.kubeconfig];
  return openCluster([program, 'kubectl', ...config], [helm, ...config], options, node);
}

function untilStopped(work: Promise<void>, { node }: Cluster, asked: AbortSignal): Promise<void> {
  const stopped = new Promise<never>((_, reject) =>
    asked.addEventListener('abort', () => reject(new Error('stopped')), { once: true }),
  );
  return Promise.race([work, stopped, ...(node ? [node.broken] : [])]);
}

/** Prints details that help to find out why a step failed. */
async function diagnose({ shell }: Cluster): Promise<void> {
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
  // The node's parts would keep the process alive.
  process.exit();
}
