import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ApiClient } from './control-plane/api-client.ts';
import type { ControlPlanePrograms } from './control-plane/obtain.ts';
import { startControlPlane } from './control-plane/start.ts';
import { imageTable, type Version } from './image-table.ts';
import { type RunningNode, startNode } from './node/index.ts';
import { RECEIVER, receiverCertificates } from './scenario/receiver.ts';

/** What a cluster of processes is made of. Everything that it writes lies in `folder`. */
export interface ClusterParts {
  readonly checkout: string;
  readonly folder: string;
  readonly programs: ControlPlanePrograms;
  readonly natsServer: string;
  readonly versions: readonly Version[];
}

/** A control plane and one node, without a container engine. */
export interface Cluster {
  readonly api: ApiClient;
  readonly kubeconfig: string;
  readonly node: RunningNode;
  /** PEM files of the receiver of webhooks, whose authority our images trust. */
  readonly receiver: Awaited<ReturnType<typeof receiverCertificates>>;
  /** Rejects when one of its processes ends by itself. */
  readonly broken: Promise<never>;
  /** Lets this process find Services by their names, as pods do. */
  knowServices(namespace: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts it in the namespaces of this process, which must be its own. Rejects, leaving nothing running. */
export async function startCluster(parts: ClusterParts): Promise<Cluster> {
  const { checkout, folder, natsServer, versions } = parts;
  const certificates = join(folder, 'receiver');
  mkdirSync(certificates, { recursive: true });
  // In memory, and in this process's own mounts: what disks of machines that test can do is not what is looked at.
  const [pods, controlPlane] = [join(folder, 'pods'), join(folder, 'control-plane')];
  for (const path of [pods, join(controlPlane, 'etcd')]) mountInMemory(path);
  const receiver = await receiverCertificates(certificates);
  const [plane, images] = await Promise.all([
    startControlPlane(parts.programs, controlPlane),
    imageTable({
      checkout,
      folder,
      natsServer,
      authority: readFileSync(receiver.authority, 'utf8'),
      versions,
    }),
  ]);
  const { api, kubeconfig } = plane;
  try {
    const log = join(folder, 'node.log');
    const node = await startNode({
      kubeconfig,
      stateFolder: join(pods, 'state'),
      images,
      names: new Map([[RECEIVER.host, RECEIVER.address]]),
      log: (line) => appendFileSync(log, `${new Date().toISOString()} ${line}\n`),
    });
    const broken = plane.broken.then((reason) => Promise.reject(new Error(reason)));
    // Nobody waits for it any more when it is stopped.
    broken.catch(() => undefined);
    return {
      api,
      kubeconfig,
      node,
      receiver,
      broken,
      knowServices: (namespace) => knowServices(api, namespace, join(folder, 'hosts')),
      async stop() {
        await node.stop();
        await plane.stop();
      },
    };
  } catch (error) {
    await plane.stop();
    throw error;
  }
}

function mountInMemory(path: string): void {
  mkdirSync(path, { recursive: true });
  execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', path]);
}

interface Services {
  readonly items: readonly { readonly metadata: { name: string }; readonly spec: { clusterIP: string } }[];
}

/** A file of this process's own mounts is laid over the machine's. */
async function knowServices(api: ApiClient, namespace: string, file: string): Promise<void> {
  const { items } = await api.get<Services>(`/api/v1/namespaces/${namespace}/services`);
  const lines = items.map(
    ({ metadata, spec }) =>
      `${spec.clusterIP} ${metadata.name}.${namespace}.svc ${metadata.name}.${namespace}`,
  );
  writeFileSync(file, ['127.0.0.1 localhost', ...lines, ''].join('\n'));
  execFileSync('mount', ['--bind', file, '/etc/hosts']);
}
