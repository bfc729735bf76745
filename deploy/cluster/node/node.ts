import { execFile, execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Ending, launch, type RunningProcess } from '../../local/supervisor/running-process.ts';
import * as configuration from './configuration.ts';
import { makeIdentities, writeKubeconfig } from './identities.ts';
import { pauseImage } from './pause-image.ts';

const run = promisify(execFile);
const { ADDRESS, NAME } = configuration;
/** User of our images. */
const NONROOT = 65532;
const READY_MS = 120_000;
const STOP_MS = 5_000;
const ANSWER_MS = 5_000;
const API = 6443;
const ETCD = 'http://127.0.0.1:2379';
/** As clusters name it unless they are told otherwise. */
const TOKEN_ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Four times what one process or group gets where CPU is short. */
const CPU_SHARE = { 'cpu.shares': '4096', 'cpu.weight': '400' };
const OWN = ['/run', '/var/log', '/var/lib'] as const;

export interface NodeOptions {
  /** Of Kubernetes and all that goes with it. */
  readonly program: string;
  /** Everything of the node is written there. */
  readonly folder: string;
  /** Archives of images, as podman saves them. */
  readonly images: readonly string[];
  /** Names that pods can resolve beside those of Services. */
  readonly hosts: Readonly<Record<string, string>>;
}

/** A control plane and one node, as real as any. It ends with its namespaces. */
export interface Node {
  /** Path of a file by which clients reach the API, as an administrator. */
  readonly kubeconfig: string;
  /** Folder of the logs. */
  readonly logs: string;
  /** Rejects when one of its processes ends by itself. */
  readonly broken: Promise<never>;
  /** Number of the first process of a container, as `containerd://…`, among those of this process. */
  processOf(container: string): number;
  /** Ends containerd, the kubelet and every process of every pod at once, as a loss of power does, and starts them again. */
  reboot(): Promise<void>;
}

/**
 * Starts etcd, Kubernetes, containerd and CoreDNS, and imports the images. It must be in namespaces of its own
 * (`runInOwnNamespaces`), with its own `/run`, `/var/lib` and `/var/log` from here on. This process reaches pods and
 * Services, by name, too. Rejects with what a process that does not come up last said.
 */
export async function startNode({ program, folder, images, hosts }: NodeOptions): Promise<Node> {
  const cgroup = process.env.CGROUP;
  if (cgroup === undefined) throw new Error('a node is started by runInOwnNamespaces');
  const at = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, text);
    return path;
  };
  const [logs, networks] = [join(folder, 'logs'), join(folder, 'networks')];
  for (const path of [logs, networks]) mkdirSync(path, { recursive: true });
  const files = await makeIdentities(folder, [ADDRESS, configuration.API_SERVICE]);
  const kubeconfig = writeKubeconfig(folder, `https://${ADDRESS}:${API}`, files.admin);
  writeFileSync(join(networks, 'pods.conflist'), configuration.podNetwork);
  ownFolders(folder);
  ownNetwork();
  makeCgroup(cgroup);

  const running = new Map<string, RunningProcess>();
  let fail: (reason: Error) => void = () => undefined;
  const broken = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Nobody may be waiting.
  broken.catch(() => undefined);
  const start = async (
    name: string,
    args: readonly string[],
    isReady: () => Promise<boolean>,
    command = program,
  ) => {
    const life = await launch(
      {
        ...{ name, command, args: command === program ? [name, ...args] : args, cwd: folder },
        env: { PATH: process.env.PATH ?? '' },
        ...{ stopSignal: 'SIGTERM', stopWithinMs: STOP_MS, channel: false, readyWithinMs: READY_MS },
        isReady,
      },
      logs,
    );
    running.set(name, life);
    if (!(await life.ready())) {
      await life.stop();
      throw new Error(`${name} did not come up (${describe(await life.ended)}); its log is in ${logs}`);
    }
    void life.ended.then((ending) => {
      if (running.get(name) === life) fail(new Error(`${name} ended: ${describe(ending)}`));
    });
  };
  const credentials = `--kubeconfig=${kubeconfig}`;
  const api = (path: string) => succeeds(program, 'kubectl', credentials, 'get', '--raw', path);
  const startContainerd = () =>
    start(
      'containerd',
      ['--config', at('containerd.toml', configuration.containerd(networks))],
      () => succeeds('ctr', 'version'),
      'containerd',
    );
  const kubeletFile = at('kubelet.json', configuration.kubelet(cgroup));
  const startKubelet = () =>
    start(
      'kubelet',
      [credentials, `--config=${kubeletFile}`, `--hostname-override=${NAME}`, `--node-ip=${ADDRESS}`],
      () => answers('http://127.0.0.1:10248/healthz'),
    );

  await startContainerd();
  for (const archive of [pauseImage(folder), ...images])
    execFileSync('ctr', ['-n', 'k8s.io', 'images', 'import', archive], { stdio: 'ignore' });
  await start('etcd', ['--data-dir=/var/lib/etcd', '--unsafe-no-fsync'], () => answers(`${ETCD}/readyz`));
  await start(
    'kube-apiserver',
    [
      ...[`--etcd-servers=${ETCD}`, `--advertise-address=${ADDRESS}`, `--secure-port=${API}`],
      ...[`--tls-cert-file=${files.server.certificate}`, `--tls-private-key-file=${files.server.key}`],
      ...[`--client-ca-file=${files.server.authority}`, '--authorization-mode=RBAC'],
      // As everywhere: who may be privileged is Pod Security's affair.
      '--allow-privileged=true',
      // The names of nodes are in no DNS.
      '--kubelet-preferred-address-types=InternalIP',
      ...[`--service-account-issuer=${TOKEN_ISSUER}`, `--service-account-key-file=${files.tokenKey}`],
      `--service-account-signing-key-file=${files.tokenKey}`,
      ...[`--service-cluster-ip-range=${configuration.SERVICES}`, '--cert-dir=/var/lib/kube-apiserver'],
    ],
    () => api('/readyz'),
  );
  const alone = [credentials, '--leader-elect=false', '--bind-address=127.0.0.1'];
  await start(
    'kube-controller-manager',
    [
      ...alone,
      `--service-account-private-key-file=${files.tokenKey}`,
      `--root-ca-file=${files.server.authority}`,
      '--use-service-account-credentials=true',
    ],
    // Made by the last of the controllers that a new namespace needs.
    () => api('/api/v1/namespaces/default/serviceaccounts/default'),
  );
  await start('kube-scheduler', alone, async () => true);
  await startKubelet();
  await start('kube-proxy', [`--config=${at('proxy.json', configuration.kubeProxy(kubeconfig))}`], () =>
    answers('http://127.0.0.1:10256/livez'),
  );
  await start('coredns', [at('Corefile', configuration.coreDns(kubeconfig, hosts))], () =>
    answers('http://127.0.0.1:8181/ready'),
  );
  execFileSync('mount', ['--bind', at('resolv.conf', configuration.resolver), '/etc/resolv.conf']);
  const volume = join(folder, 'volume');
  mkdirSync(volume);
  // The kubelet gives paths of the node to nobody else's group.
  chownSync(volume, NONROOT, NONROOT);
  execFileSync(program, ['kubectl', credentials, 'create', '-f', '-'], {
    input: JSON.stringify(configuration.volumeAt(volume)),
    stdio: ['pipe', 'ignore', 'inherit'],
  });

  return {
    kubeconfig,
    logs,
    broken,
    processOf(container) {
      const listed = execFileSync('ctr', ['-n', 'k8s.io', 'tasks', 'ls'], { encoding: 'utf8' });
      const id = container.replace('containerd://', '');
      const line = listed.split('\n').find((one) => one.startsWith(id));
      if (line === undefined) throw new Error(`container ${id} does not run`);
      return Number(line.split(/\s+/)[1]);
    },
    async reboot() {
      const lost = ['kubelet', 'containerd'].flatMap((name) => {
        const life = running.get(name);
        running.delete(name);
        return life ? [life] : [];
      });
      for (const life of lost) life.kill();
      for (const process of processesOf(cgroup)) kill(process);
      for (const life of lost) await life.ended;
      await startContainerd();
      await startKubelet();
    },
  };
}

/** What it writes outside of `folder` it sees there alone. */
function ownFolders(folder: string): void {
  for (const path of OWN) {
    const own = join(folder, path);
    mkdirSync(own, { recursive: true });
    execFileSync('mount', ['--bind', own, path]);
  }
}

function ownNetwork(): void {
  const ip = (...args: string[]) => execFileSync('ip', args);
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', 'node0', 'type', 'bridge');
  ip('address', 'add', `${ADDRESS}/24`, 'dev', 'node0');
  ip('link', 'set', 'node0', 'up');
  ip('route', 'add', 'default', 'dev', 'node0');
  writeFileSync('/proc/sys/net/ipv4/ip_forward', '1');
}

/** In each hierarchy (version 1) or the one (version 2). */
function makeCgroup(name: string): void {
  const root = '/sys/fs/cgroup';
  const isOne = existsSync(join(root, 'cgroup.controllers'));
  const hierarchies = isOne ? [root] : readdirSync(root).map((one) => join(root, one));
  for (const hierarchy of hierarchies) {
    const group = join(hierarchy, name);
    mkdirSync(group, { recursive: true });
    // A group counts as one process, else: on a machine that does much else, a node would have next to nothing.
    for (const [file, share] of Object.entries(CPU_SHARE))
      if (existsSync(join(group, file))) writeFileSync(join(group, file), share);
  }
}

/** Of pods and of what looks after them. */
function processesOf(cgroup: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      const read = (file: string) => {
        try {
          return readFileSync(`/proc/${pid}/${file}`, 'utf8');
        } catch {
          return '';
        }
      };
      return read('cgroup').includes(cgroup) || read('comm').startsWith('containerd-shim');
    })
    .map(Number);
}

function kill(process_: number): void {
  try {
    process.kill(process_, 'SIGKILL');
  } catch {
    // It has ended with another.
  }
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

const describe = ({ how, lastWords }: Ending) => (lastWords ? `${how}: ${lastWords}` : how);
