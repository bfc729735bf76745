import type { NodeOptions, RunningNode } from './options.ts';

export type { ImageFiles, NodeOptions, RunningNode, SeenConnection } from './options.ts';
export { lacksNamespaces, runInOwnNamespaces } from './own-namespaces.ts';

/**
 * Starts a node that runs each pod's containers as processes of this machine. It needs root and namespaces of its own
 * (`runInOwnNamespaces`): networks, mounts and processes of pods are gone with the process, however it ends. Pods have
 * addresses in 10.244.0.0/16, Services in 10.96.0.0/16; this process reaches both.
 */
export function startNode(_options: NodeOptions): Promise<RunningNode> {
  return Promise.reject(new Error('there is no node yet'));
}
