import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ApiClient, openApi } from './api-client.ts';
import type { Node } from './node/node.ts';

const run = promisify(execFile);
const LARGEST_OUTPUT = 32 << 20;
const COMMAND_MS = 300_000;

/** A cluster, as those who use it see it. */
export interface Cluster {
  readonly api: ApiClient;
  /** Runs kubectl; resolves to what it prints, rejects with what it says is wrong. */
  kubectl(...args: string[]): Promise<string>;
  /** The same as a command line. */
  readonly command: readonly [string, ...string[]];
  /** What tells Helm of it. */
  readonly forHelm: readonly string[];
  /** What only a node of our own can be made to do; absent where the cluster is somebody else's. */
  readonly node?: Node;
}

/** The one that kubectl knows as `context`. */
export const knownCluster = (context: string): Promise<Cluster> =>
  open(['kubectl', '--context', context], { forHelm: ['--kube-context', context] });

/** The one of a node that runs, asked by the kubectl that it is made of. */
export const clusterOf = (node: Node, program: string): Promise<Cluster> =>
  open([program, 'kubectl', '--kubeconfig', node.kubeconfig], {
    forHelm: ['--kubeconfig', node.kubeconfig],
    node,
  });

async function open(
  command: readonly [string, ...string[]],
  more: Pick<Cluster, 'forHelm' | 'node'>,
): Promise<Cluster> {
  const [program, ...always] = command;
  return {
    ...more,
    command,
    api: await openApi(command),
    kubectl: async (...args) =>
      (await run(program, [...always, ...args], { timeout: COMMAND_MS, maxBuffer: LARGEST_OUTPUT })).stdout,
  };
}
