import type { ContainerStatus, Pod, PodCondition, PodStatus } from '../api/objects.ts';

export interface StatusFacts {
  readonly pod: Pod;
  readonly podIp: string | undefined;
  readonly hostIp: string;
  readonly startedAt: string;
  readonly initContainers: readonly ContainerStatus[];
  readonly containers: readonly ContainerStatus[];
  /** Conditions as they were before. */
  readonly before: readonly PodCondition[];
  readonly now: string;
  /** Whether nothing of the pod will ever run again. */
  readonly final: boolean;
}

type Phase = NonNullable<PodStatus['phase']>;

/** What is reported of a pod. Conditions of others, such as DisruptionTarget, are not among it and stay. */
export function podStatus(facts: StatusFacts): PodStatus {
  const { pod, podIp, hostIp, initContainers, containers } = facts;
  const phase = phaseOf(pod, initContainers, containers, facts.final);
  return {
    ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
    phase,
    conditions: conditionsOf(facts, phase),
    hostIP: hostIp,
    hostIPs: [{ ip: hostIp }],
    ...(podIp === undefined ? {} : { podIP: podIp, podIPs: [{ ip: podIp }] }),
    startTime: facts.startedAt,
    ...(initContainers.length > 0 ? { initContainerStatuses: [...initContainers] } : {}),
    containerStatuses: [...containers],
  };
}

const exitOf = ({ state }: ContainerStatus) => state?.terminated?.exitCode;
const neverRan = ({ state, lastState }: ContainerStatus) =>
  state?.waiting !== undefined && lastState?.terminated === undefined;

/** As the kubelet finds it. */
export function phaseOf(
  { spec }: Pod,
  initContainers: readonly ContainerStatus[],
  containers: readonly ContainerStatus[],
  final: boolean,
): Phase {
  const staysEnded = final || spec.restartPolicy === 'Never';
  const failedForGood = (each: ContainerStatus) => (exitOf(each) ?? 0) !== 0 && staysEnded;
  if (initContainers.some(failedForGood)) return 'Failed';
  if (initContainers.some((each) => exitOf(each) !== 0)) return 'Pending';
  if (containers.some(neverRan)) return 'Pending';
  if (containers.some((each) => exitOf(each) === undefined)) return 'Running';
  if ((spec.restartPolicy ?? 'Always') === 'Always' && !final) return 'Running';
  if (containers.every((each) => exitOf(each) === 0)) return 'Succeeded';
  return staysEnded ? 'Failed' : 'Running';
}

function conditionsOf(facts: StatusFacts, phase: Phase): PodCondition[] {
  const { pod, initContainers, containers } = facts;
  const over = phase === 'Succeeded' ? 'PodCompleted' : phase === 'Failed' ? 'PodFailed' : undefined;
  const initialized = initContainers.every((each) => exitOf(each) === 0);
  const notReady = containers.filter(({ ready }) => !ready).map(({ name }) => name);
  const allReady = initialized && notReady.length === 0;
  const gates = (pod.spec.readinessGates ?? []).every(({ conditionType }) =>
    pod.status?.conditions?.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  const because = over ?? (allReady ? undefined : 'ContainersNotReady');
  const message =
    over === undefined && !allReady ? `containers with unready status: [${notReady.join(' ')}]` : undefined;
  const found: Condition[] = [
    { type: 'PodScheduled', holds: true },
    { type: 'PodReadyToStartContainers', holds: facts.podIp !== undefined && over === undefined },
    { type: 'Initialized', holds: initialized, reason: initialized ? over : 'ContainersNotInitialized' },
    { type: 'ContainersReady', holds: allReady && over === undefined, reason: because, message },
    {
      type: 'Ready',
      holds: allReady && gates && over === undefined,
      reason: because ?? (gates ? undefined : 'ReadinessGatesNotReady'),
      message,
    },
  ];
  return found.map((each) => condition(each, facts));
}

interface Condition {
  readonly type: string;
  readonly holds: boolean;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** The time of a condition is that of its last change. */
function condition({ type, holds, reason, message }: Condition, { before, now }: StatusFacts): PodCondition {
  const status = holds ? 'True' : 'False';
  const old = before.find((each) => each.type === type);
  return {
    type,
    status,
    lastTransitionTime: old?.status === status ? (old.lastTransitionTime ?? now) : now,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}
