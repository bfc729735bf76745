import type { ICronJob } from 'kubernetes-models/batch/v1';
import type { IPodSpec, IPodTemplateSpec } from 'kubernetes-models/v1';

/** An object rendered by a chart. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

/** A pod of the release and the object that creates it. */
export interface Pod {
  readonly owner: KubernetesObject;
  /** The pod's component: `account`, `gateway-sandbox`, `migrations`, `streams`, `audit-verification`. */
  readonly component: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: IPodSpec;
}

export type Container = IPodSpec['containers'][number];

export const COMPONENT = 'app.kubernetes.io/component';

/** Components whose pods run to completion; all others serve until stopped. */
export const RUN_TO_THEIR_END: readonly string[] = ['migrations', 'streams', 'audit-verification'];

export function podsIn(objects: readonly KubernetesObject[]): Pod[] {
  return objects.flatMap((owner) => {
    const template = templateOf(owner);
    if (!template?.spec) return [];
    const labels = template.metadata?.labels ?? {};
    return [{ owner, component: labels[COMPONENT] ?? '', labels, spec: template.spec }];
  });
}

function templateOf(owner: KubernetesObject): IPodTemplateSpec | undefined {
  if (owner.kind === 'CronJob') return (owner.spec as ICronJob['spec'])?.jobTemplate.spec?.template;
  return (owner.spec as { template?: IPodTemplateSpec } | undefined)?.template;
}

/** Returns all containers, init containers first. */
export const containersOf = ({ spec }: Pod): Container[] => [
  ...(spec.initContainers ?? []),
  ...spec.containers,
];

/** Returns the variables of a container that have literal values. */
export function plainVariables(container: Container): Record<string, string> {
  const plain = (container.env ?? []).filter(({ value }) => value !== undefined);
  return Object.fromEntries(plain.map(({ name, value }) => [name, value ?? '']));
}

export const ofKind = (objects: readonly KubernetesObject[], kind: string) =>
  objects.filter((object) => object.kind === kind);
