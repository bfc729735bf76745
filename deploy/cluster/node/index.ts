import { mkdirSync, rmSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { connectApi } from './api/api.ts';
import { readKubeconfig } from './api/kubeconfig.ts';
import type { Pod } from './api/objects.ts';
import { NODE_ADDRESS, startPodNetworks } from './network/pod-network.ts';
import { startServices } from './network/services.ts';
import { registerNode } from './node-object.ts';
import type { NodeOptions, RunningNode } from './options.ts';
import { isInOwnNamespaces } from './own-namespaces.ts';
import { startLogs } from './pods/logs.ts';
import { startPods } from './pods/pods.ts';
import { sourcesOf } from './pods/sources.ts';
import { startClaims } from './volumes/claims.ts';

export type { ImageFiles, NodeOptions, RunningNode, SeenConnection } from './options.ts';
export { lacksNamespaces, runInOwnNamespaces } from './own-namespaces.ts';

const NAME = 'processes';
const API_PORT = 443;
/** The first address of the range of Services is that of the API server itself. */
const API_ADDRESS = '10.96.0.1';

/**
 * Starts a node that runs each pod's containers as processes of this machine. It needs root and namespaces of its own
 * (`runInOwnNamespaces`): networks, mounts and processes of pods are gone with the process, however it ends. Pods have
 * addresses in 10.244.0.0/16, Services in 10.96.0.0/16; this process reaches both.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  if (!isInOwnNamespaces())
    throw new Error(
      'cannot start a node outside of namespaces of its own: start its program with runInOwnNamespaces',
    );
  const { stateFolder, images, log } = options;
  const cluster = readKubeconfig(options.kubeconfig);
  const { hostname, port } = new URL(cluster.server);
  const api = connectApi(cluster);
  const stop = new AbortController();
  const { signal } = stop;
  mkdirSync(stateFolder, { recursive: true, mode: 0o700 });

  await registerNode(api, { name: NAME, address: NODE_ADDRESS, signal, log });
  const networks = await startPodNetworks();
  const apiServer = { address: hostname, port: Number(port) };
  const services = await startServices({ api, signal, log, names: options.names ?? new Map(), apiServer });
  const claims = await startClaims({ api, signal, log, folder: join(stateFolder, 'claims') });
  const logs = startLogs(join(stateFolder, 'logs'), signal);
  const pods = await startPods(
    {
      ...{ api, networks, images, log, sources: sourcesOf(api), folder: join(stateFolder, 'pods') },
      facts: { hostIp: NODE_ADDRESS, nodeName: NAME, cpus: cpus().length, memoryBytes: totalmem() },
      apiServer: { host: API_ADDRESS, port: API_PORT },
      logOf: ({ metadata }: Pod, container) => logs.fileOf(metadata.namespace, metadata.name, container),
      claimFolder: claims.folderOf,
      hasAddress: (address, pod) => services.podHas(address, pod),
    },
    signal,
  );

  return {
    name: NAME,
    podLog: async (namespace, pod, container) => logs.read(namespace, pod, container),
    connections: () => services.connections(),
    async stop() {
      stop.abort();
      await pods.stop();
      await services.stop();
      await networks.remove();
      await api.close();
      rmSync(stateFolder, { recursive: true, force: true });
    },
  };
}
