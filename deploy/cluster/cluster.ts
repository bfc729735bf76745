import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type ApiClient, openApi } from './api-client.ts';
import type { Node } from './node/node.ts';

const LARGEST_OUTPUT = 32 << 20;
const COMMAND_MS = 1_200_000;

export interface Cluster {
  readonly api: ApiClient;
  /** kubectl, as a command line. */
  readonly command: readonly [string, ...string[]];
  /** Runs kubectl; resolves to its output, rejects with its error. */
  kubectl(...args: string[]): Promise<string>;
  /** Runs a script in a folder that looks like a checkout, with the kubectl and Helm of this cluster. */
  shell(script: string): Promise<string>;
  readonly folder: string;
  /** Absent if the cluster isn't ours. */
  readonly node?: Node;
}

export interface ClusterOptions {
  readonly checkout: string;
  readonly folder: string;
  readonly helm: string;
}

/** The cluster that kubectl knows as `context`. */
export const knownCluster = (context: string, options: ClusterOptions): Promise<Cluster> =>
  open(['kubectl', '--context', context], [options.helm, '--kube-context', context], options);

/** Opens the cluster of a local node. */
export async function clusterOf(node: Node, program: string, options: ClusterOptions): Promise<Cluster> {
  const config = ['--kubeconfig', node.kubeconfig];
  const cluster = await open([program, 'kubectl', ...config], [options.helm, ...config], options);
  return { ...cluster, node };
}

async function open(
  kubectl: readonly [string, ...string[]],
  helm: readonly string[],
  { checkout, folder: parent }: ClusterOptions,
): Promise<Cluster> {
  const [folder, programs] = [join(parent, 'checkout'), join(parent, 'programs')];
  for (const path of [folder, programs]) mkdirSync(path);
  for (const name of ['charts', 'deploy', 'docs', 'node_modules', 'package.json', 'services'])
    symlinkSync(join(checkout, name), join(folder, name));
  for (const [name, line] of Object.entries({ kubectl, helm })) {
    const words = line.map((word) => `'${word}'`).join(' ');
    writeFileSync(join(programs, name), `#!/bin/sh\nexec ${words} "$@"\n`);
    chmodSync(join(programs, name), 0o755);
  }
  const home = join(parent, 'helm');
  const env = {
    ...process.env,
    PATH: [programs, process.env.PATH ?? ''].join(delimiter),
    ...Object.fromEntries(['CACHE', 'CONFIG', 'DATA'].map((part) => [`HELM_${part}_HOME`, join(home, part)])),
  };
  const options = { cwd: folder, env, timeout: COMMAND_MS, maxBuffer: LARGEST_OUTPUT };
  const run = (program: string, args: readonly string[]) =>
    promisify(execFile)(program, args, options).then(
      ({ stdout }) => stdout,
      ({ stderr, message }) => {
        throw new Error(stderr?.trim() || message);
      },
    );
  return {
    command: kubectl,
    folder,
    api: await openApi(kubectl),
    kubectl: (...args) => run('kubectl', args),
    shell: (script) => run('bash', ['-euo', 'pipefail', '-c', script]),
  };
}
