import type { ApiClient } from '../../deploy/cluster/api-client.ts';
import { waitUntil } from '../../deploy/local/wait-until.ts';

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
  readonly state: States;
  /** How it ended the time before. */
  readonly lastState: States;
}

type States = Readonly<Record<string, { readonly reason?: string; readonly message?: string } | undefined>>;

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

interface List<T> {
  readonly items: readonly T[];
}

const POLL_MS = 250;

/** What runs in a namespace. */
export interface Workloads {
  deployments(): Promise<readonly Deployment[]>;
  pods(): Promise<readonly Pod[]>;
  /** Those of one process that are not being ended; rejects unless there is one. */
  podsOf(process: string): Promise<readonly [Pod, ...Pod[]]>;
  jobs(): Promise<readonly Job[]>;
  /** As `kubectl rollout restart` does. */
  restart(deployment: string): Promise<void>;
  /** Resolves when each Deployment has as many new and available pods as it wants and no old one is left; else rejects. */
  settled(withinMs: number): Promise<void>;
  /** Pods that are not as they should be, each in a line. */
  unwell(): Promise<readonly string[]>;
}

export function workloadsOf(api: ApiClient, namespace: string): Workloads {
  const list = async <T>(group: string, kind: string) =>
    (await api.get<List<T>>(`/${group}/namespaces/${namespace}/${kind}`)).items;
  const deployments = () => list<Deployment>('apis/apps/v1', 'deployments');
  const pods = () => list<Pod>('api/v1', 'pods');
  return {
    deployments,
    pods,
    async podsOf(process) {
      const [first, ...others] = (await pods()).filter(
        ({ metadata: { labels = {}, deletionTimestamp } }) =>
          labels['app.kubernetes.io/component'] === process && deletionTimestamp === undefined,
      );
      if (!first) throw new Error(`there is no pod of ${process}`);
      return [first, ...others];
    },
    jobs: () => list<Job>('apis/batch/v1', 'jobs'),
    async restart(deployment) {
      const annotations = { 'kubectl.kubernetes.io/restartedAt': new Date().toISOString() };
      await api.patch(`/apis/apps/v1/namespaces/${namespace}/deployments/${deployment}`, {
        spec: { template: { metadata: { annotations } } },
      });
    },
    async settled(withinMs) {
      let waiting: readonly string[] = [];
      const done = await waitUntil(
        async () => {
          const all = await deployments();
          const leaving = (await pods()).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
          waiting = [
            ...all.filter((one) => !isSettled(one)).map(({ metadata }) => metadata.name),
            ...leaving.map(({ metadata }) => metadata.name),
          ];
          return waiting.length === 0 || undefined;
        },
        { withinMs, everyMs: POLL_MS },
      );
      if (!done) throw new Error(`not settled within ${withinMs} ms: ${waiting.join(', ')}`);
    },
    unwell: async () => (await pods()).flatMap(complaintOf),
  };
}

function isSettled({ metadata, spec, status }: Deployment): boolean {
  const { observedGeneration = 0, replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const seen = observedGeneration >= (metadata.generation ?? 0);
  return seen && [replicas, updatedReplicas, availableReplicas].every((count) => count === spec.replicas);
}

function complaintOf({ metadata, status }: Pod): string[] {
  const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
  if (status.phase === 'Succeeded' || (all.length > 0 && all.every(isWell))) return [];
  const states = all
    .filter((one) => !isWell(one))
    .map(({ name, state, restartCount }) => {
      const [kind = 'unknown', detail] = Object.entries(state).find(([, value]) => value) ?? [];
      return `${name} ${[kind, detail?.reason, detail?.message].filter(Boolean).join(' ')}, ${restartCount} restarts`;
    });
  return [`${metadata.name}: ${status.phase}; ${states.join('; ')}`];
}

const isWell = ({ ready, state }: ContainerStatus) => ready || state.terminated?.reason === 'Completed';
