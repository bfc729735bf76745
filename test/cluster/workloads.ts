import type { ApiClient } from './cluster.ts';
import { untilNone } from './eventually.ts';

export interface ObjectMeta {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
}

export interface Deployment {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly replicas: number };
  readonly status: {
    readonly observedGeneration?: number;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly availableReplicas?: number;
  };
}

interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly containerID?: string;
  /** How it last ended. */
  readonly lastState: { readonly terminated?: { readonly reason?: string } };
}

export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec?: { readonly nodeName?: string };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
  };
}

export interface Job {
  readonly metadata: ObjectMeta;
  readonly status: { readonly succeeded?: number; readonly failed?: number };
}

const SETTLED_MS = 240_000;

export type Workloads = ReturnType<typeof workloadsOf>;

/** Returns functions that inspect the workloads of a namespace. */
export function workloadsOf(api: ApiClient, namespace: string) {
  const list = async <T>(group: string, kind: string) =>
    (await api.get<{ items: readonly T[] }>(`/${group}/namespaces/${namespace}/${kind}`)).items;
  const deployments = () => list<Deployment>('apis/apps/v1', 'deployments');
  const pods = () => list<Pod>('api/v1', 'pods');
  return {
    deployments,
    pods,
    /** Returns the pods of one process, except the ones that are terminating; rejects if there is none. */
    async podsOf(process: string): Promise<readonly [Pod, ...Pod[]]> {
      const [first, ...others] = (await pods()).filter(
        ({ metadata: { labels = {}, deletionTimestamp } }) =>
          labels['app.kubernetes.io/component'] === process && deletionTimestamp === undefined,
      );
      if (!first) throw new Error(`${process} has no pod`);
      return [first, ...others];
    },
    jobs: () => list<Job>('apis/batch/v1', 'jobs'),
    /** Waits until every Deployment has its new pods available, and no old pod is left. */
    settled: (): Promise<void> =>
      untilNone(SETTLED_MS, 'not settled', async () => {
        const changing = (await deployments()).filter((one) => !isSettled(one));
        const leaving = (await pods()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
        return [...changing, ...leaving].map(({ metadata }) => metadata.name);
      }),
  };
}

function isSettled({ metadata, spec, status }: Deployment): boolean {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const seen = observedGeneration >= (metadata.generation ?? 0);
  return seen && [replicas, updatedReplicas, availableReplicas].every((count) => count === spec.replicas);
}
