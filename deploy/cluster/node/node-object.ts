import { arch, cpus, release, totalmem } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { type Api, ApiError } from './api/api.ts';

const BEAT_MS = 10_000;
const LEASE_SECONDS = 40;
const MAX_PODS = 250;
const CONFLICT = 409;

export interface NodeFacts {
  readonly name: string;
  readonly address: string;
  readonly signal: AbortSignal;
  log(line: string): void;
}

/** Registers the node as ready, and keeps saying so until `signal` is aborted. */
export async function registerNode(api: Api, facts: NodeFacts): Promise<void> {
  const { name, address, signal, log } = facts;
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': 'linux',
    'kubernetes.io/arch': goArch(),
  };
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels }, spec: {} };
  await unlessThere(api.create('/api/v1/nodes', node));
  const room = { cpu: String(cpus().length), memory: String(totalmem()), pods: String(MAX_PODS) };
  const beat = async () => {
    const now = new Date().toISOString();
    const condition = (type: string, status: string, reason: string) => ({
      ...{ type, status, reason, message: reason, lastHeartbeatTime: now, lastTransitionTime: now },
    });
    const status = {
      ...{ capacity: room, allocatable: room },
      addresses: [
        { type: 'InternalIP', address },
        { type: 'Hostname', address: name },
      ],
      conditions: [
        condition('Ready', 'True', 'KubeletReady'),
        condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory'),
        condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure'),
        condition('PIDPressure', 'False', 'KubeletHasSufficientPID'),
      ],
      nodeInfo: {
        ...{ machineID: name, systemUUID: name, bootID: name, kernelVersion: release() },
        ...{
          osImage: 'processes of this machine',
          containerRuntimeVersion: 'process://1',
          operatingSystem: 'linux',
        },
        ...{ kubeletVersion: 'v1.35.0', kubeProxyVersion: '', architecture: goArch() },
      },
    };
    await api.patch(`/api/v1/nodes/${name}/status`, { status });
  };
  await beat();
  void keepLease(api, name, signal, log);
  void (async () => {
    while (!signal.aborted) {
      await pause(BEAT_MS * 6, undefined, { signal }).catch(() => undefined);
      if (!signal.aborted) await beat().catch((error) => log(`node status: ${error}`));
    }
  })();
}

async function keepLease(
  api: Api,
  name: string,
  signal: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  const path = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
  const spec = () => ({
    ...{ holderIdentity: name, leaseDurationSeconds: LEASE_SECONDS },
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  });
  let made = false;
  while (!signal.aborted) {
    try {
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name }, spec: spec() };
      if (!made) await unlessThere(api.create(path, lease));
      made = true;
      await api.patch(`${path}/${name}`, { spec: spec() });
    } catch (error) {
      // Its namespace is made by the controllers soon after their start.
      if (!signal.aborted) log(`lease: ${error}`);
    }
    await pause(made ? BEAT_MS : 1_000, undefined, { signal }).catch(() => undefined);
  }
}

async function unlessThere(creation: Promise<unknown>): Promise<void> {
  try {
    await creation;
  } catch (error) {
    if (!(error instanceof ApiError && error.status === CONFLICT)) throw error;
  }
}

const goArch = () => (arch() === 'x64' ? 'amd64' : arch());
