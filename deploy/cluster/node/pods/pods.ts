import type { Api } from '../api/api.ts';
import type { ConfigMap, Pod, Secret } from '../api/objects.ts';
import { watch } from '../api/watched.ts';
import { type PodHost, type RunningPod, runPod } from './pod.ts';

export interface Pods {
  /** Ends all of them by force. */
  stop(): Promise<void>;
}

/** Runs every pod of the cluster: those that no node has yet are bound to this one, since there is no other. */
export async function startPods(host: PodHost, signal: AbortSignal): Promise<Pods> {
  const { api, log, facts } = host;
  const running = new Map<string, { pod: Pod; run: RunningPod }>();
  const leaving = new Set<Promise<void>>();

  function changed(pod: Pod, gone: boolean): void {
    const { uid } = pod.metadata;
    const known = running.get(uid);
    if (gone) {
      running.delete(uid);
      const left = known?.run.abandon().finally(() => leaving.delete(left ?? Promise.resolve()));
      if (left) leaving.add(left);
    } else if (pod.spec.nodeName === undefined) {
      if (pod.metadata.deletionTimestamp === undefined && !pod.spec.schedulingGates?.length)
        void bind(api, pod, facts.nodeName).catch((error) => log(`binding: ${error}`));
    } else if (pod.spec.nodeName === facts.nodeName) {
      if (known) known.run.update(pod);
      else if (!isOver(pod)) running.set(uid, { pod, run: runPod(host, pod) });
    }
  }

  function sourceChanged({ metadata }: Secret | ConfigMap): void {
    for (const { pod, run } of running.values())
      if (pod.metadata.namespace === metadata.namespace) run.sourcesChanged();
  }

  const options = { api, signal, log };
  const sources = { ...options, changed: sourceChanged };
  const watches = [
    watch<Secret>({ ...sources, path: '/api/v1/secrets' }),
    watch<ConfigMap>({ ...sources, path: '/api/v1/configmaps' }),
    watch<Pod>({ ...options, path: '/api/v1/pods', changed }),
  ];
  await Promise.all(watches.map(({ listed }) => listed));
  return {
    stop: async () => {
      await Promise.all([...[...running.values()].map(({ run }) => run.abandon()), ...leaving]);
    },
  };
}

const isOver = ({ status }: Pod) => status?.phase === 'Succeeded' || status?.phase === 'Failed';

async function bind(api: Api, { metadata }: Pod, node: string): Promise<void> {
  const { namespace, name, uid } = metadata;
  await api.create(`/api/v1/namespaces/${namespace}/pods/${name}/binding`, {
    ...{ apiVersion: 'v1', kind: 'Binding', metadata: { namespace, name, uid } },
    target: { apiVersion: 'v1', kind: 'Node', name: node },
  });
}
