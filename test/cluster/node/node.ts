import { execFile, execFileSync } from 'node:child_process';
import { chownSync, copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as configuration from './configuration.ts';
import { startDaemons } from './daemons.ts';
import { makeIdentities } from './identities.ts';
import { killPods, makeCgroup, ownFolders, ownNetwork } from './machine.ts';
import { pauseImage } from './pause-image.ts';

const run = promisify(execFile);
const { ADDRESS, NAME } = configuration;
const CTR = ['-n', 'k8s.io'] as const;
const NONROOT = 65532;
const VOLUMES = 4;
const ANSWER_MS = 5_000;
const KUBELET_TRIES = 10;
const API = 6443;
const ETCD = 'http://127.0.0.1:2379';
const SECCOMP = '/var/lib/kubelet/seccomp';
const TOKEN_ISSUER = 'https://kubernetes.default.svc.cluster.local';

export interface NodeOptions {
  readonly program: string;
  /** Where the node writes everything. */
  readonly folder: string;
  /** Archives of images. */
  readonly images: readonly string[];
  /** Names that pods can resolve in addition to Services. */
  readonly hosts: Readonly<Record<string, string>>;
  /** Seccomp profiles for pods: files by their names in the kubelet's folder. */
  readonly seccomp: Readonly<Record<string, string>>;
}

export type Node = Awaited<ReturnType<typeof startNode>>;

/**
 * Starts etcd, Kubernetes, containerd and CoreDNS in this process's own namespaces (`runInOwnNamespaces`), and imports the
 * images. From here on, this process resolves and reaches pods and Services.
 */
export async function startNode({ program, folder, images, hosts, seccomp }: NodeOptions) {
  const cgroup = process.env.CGROUP;
  if (cgroup === undefined) throw new Error('a node is started by runInOwnNamespaces');
  const at = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const [logs, networks] = [join(folder, 'logs'), join(folder, 'networks')];
  for (const path of [logs, networks]) mkdirSync(path, { recursive: true });
  const files = makeIdentities(folder, `https://${ADDRESS}:${API}`);
  const { kubeconfig } = files;
  writeFileSync(join(networks, 'pods.conflist'), configuration.podNetwork);
  ownFolders(folder);
  mkdirSync(SECCOMP, { recursive: true });
  for (const [name, path] of Object.entries(seccomp)) copyFileSync(path, join(SECCOMP, name));
  ownNetwork();
  makeCgroup(cgroup);

  const daemons = startDaemons(folder, logs);
  const start = (name: string, args: readonly string[], isReady: () => Promise<boolean>) =>
    daemons.start(name, [program, name, ...args], isReady);
  const credentials = `--kubeconfig=${kubeconfig}`;
  const api = (path: string) => succeeds(program, 'kubectl', credentials, 'get', '--raw', path);
  const containerdFile = at('containerd.toml', configuration.containerd(networks));
  const startContainerd = () =>
    daemons.start('containerd', ['containerd', `--config=${containerdFile}`], () =>
      succeeds('ctr', 'version'),
    );
  const kubeletFile = at('kubelet.json', configuration.kubelet(cgroup));
  const startKubelet = () =>
    start(
      'kubelet',
      [credentials, `--config=${kubeletFile}`, `--hostname-override=${NAME}`, `--node-ip=${ADDRESS}`],
      () => answers('http://127.0.0.1:10248/healthz'),
    );

  await startContainerd();
  const imported = (async () => {
    for (const archive of [pauseImage(folder), ...images])
      await run('ctr', [...CTR, 'images', 'import', archive]);
  })();
  // Awaited later.
  imported.catch(() => undefined);
  await start('etcd', ['--data-dir=/var/lib/etcd', '--unsafe-no-fsync'], () => answers(`${ETCD}/readyz`));
  await start(
    'kube-apiserver',
    [
      ...[`--etcd-servers=${ETCD}`, `--advertise-address=${ADDRESS}`, `--secure-port=${API}`],
      ...[`--cert-dir=${files.folder}`, `--token-auth-file=${files.tokens}`, '--authorization-mode=RBAC'],
      '--allow-privileged=true',
      '--kubelet-preferred-address-types=InternalIP',
      ...[`--service-account-issuer=${TOKEN_ISSUER}`, `--service-account-key-file=${files.tokenKey}`],
      `--service-account-signing-key-file=${files.tokenKey}`,
      ...[`--service-cluster-ip-range=${configuration.SERVICES}`],
    ],
    () => api('/readyz'),
  );
  const alone = [credentials, '--leader-elect=false', '--bind-address=127.0.0.1'];
  await start(
    'kube-controller-manager',
    [
      ...alone,
      `--service-account-private-key-file=${files.tokenKey}`,
      `--root-ca-file=${files.authority}`,
      '--use-service-account-credentials=true',
    ],
    // Created by the last controller that a namespace needs.
    () => api('/api/v1/namespaces/default/serviceaccounts/default'),
  );
  await start('kube-scheduler', alone, async () => true);
  await imported;
  await startKubelet();
  await start('kube-proxy', [`--config=${at('proxy.json', configuration.kubeProxy(kubeconfig))}`], () =>
    answers('http://127.0.0.1:10256/livez'),
  );
  await start('coredns', [at('Corefile', configuration.coreDns(kubeconfig, hosts))], () =>
    answers('http://127.0.0.1:8181/ready'),
  );
  execFileSync('mount', ['--bind', at('resolv.conf', configuration.resolver), '/etc/resolv.conf']);
  const items = Array.from({ length: VOLUMES }, (_, number) => {
    const path = join(folder, `volume-${number}`);
    mkdirSync(path);
    // The kubelet doesn't change owners of host paths.
    chownSync(path, NONROOT, NONROOT);
    return configuration.volumeAt(`volume-${number}`, path);
  });
  execFileSync(program, ['kubectl', credentials, 'create', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    stdio: ['pipe', 'ignore', 'inherit'],
  });

  return {
    /** Path of an administrator's kubeconfig. */
    kubeconfig,
    /** Rejects when one of its processes exits unexpectedly. */
    broken: daemons.broken,
    /** Pid of the first process of a container, `containerd://…`. */
    processOf(container: string): number {
      const listed = execFileSync('ctr', [...CTR, 'tasks', 'ls'], { encoding: 'utf8' });
      const id = container.replace('containerd://', '');
      const line = listed.split('\n').find((one) => one.startsWith(id));
      if (line === undefined) throw new Error(`container ${id} is not running`);
      return Number(line.split(/\s+/)[1]);
    },
    /** Kills containerd, the kubelet and every pod simultaneously, like a power loss, and starts them again. */
    async reboot(): Promise<void> {
      const lost = ['kubelet', 'containerd'].map((name) => daemons.kill(name));
      killPods(cgroup);
      await Promise.all(lost);
      await startContainerd();
      // A kubelet that is faster than containerd exits; systemd would restart it, too.
      for (let tries = 1; ; tries += 1)
        try {
          return await startKubelet();
        } catch (error) {
          if (tries === KUBELET_TRIES) throw error;
        }
    },
  };
}

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) }).then(
    ({ ok }) => ok,
    () => false,
  );

const succeeds = (command: string, ...args: string[]): Promise<boolean> =>
  run(command, args).then(
    () => true,
    () => false,
  );
