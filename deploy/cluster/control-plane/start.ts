import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../../local/identity/make-certificates.ts';
import { portClaims } from '../../local/state/port-claims.ts';
import { choosePorts, isPortFree, type Ports } from '../../local/state/ports.ts';
import { type Ending, launch, type RunningProcess } from '../../local/supervisor/running-process.ts';
import { parentBound } from '../../local/supervisor/wrapper.ts';
import { type ApiClient, apiClient } from './api-client.ts';
import type { ControlPlanePrograms } from './obtain.ts';

/** The issuer of service account tokens, as clusters name it unless they are told otherwise. */
export const TOKEN_ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** Where the addresses of Services are taken from. */
export const SERVICE_RANGE = '10.96.0.0/16';
/** The first of them, which is that of the API server itself. */
const API_SERVICE = '10.96.0.1';
const READY_MS = 120_000;
const STOP_MS = 15_000;
const ANSWER_MS = 5_000;

/** etcd, an API server and the controllers of this machine, with nothing in them yet. */
export interface ControlPlane {
  /** Path of a file by which clients reach it, as an administrator. */
  readonly kubeconfig: string;
  readonly api: ApiClient;
  /** Folder of the logs. */
  readonly logs: string;
  /** Resolves, never rejects, when one of its processes ends; says which. */
  readonly broken: Promise<string>;
  /** Ends the processes. Their files stay. */
  stop(): Promise<void>;
}

const usualPorts = { api: 26443, etcd: 22379, etcdPeers: 22380, controllers: 20257 };
type PortName = keyof typeof usualPorts;
interface Parts {
  readonly programs: ControlPlanePrograms;
  readonly folder: string;
  readonly ports: Ports<PortName>;
}

/**
 * Starts a control plane on the loopback address with its files in `folder`, which must not hold one yet. Its processes
 * end with this one. It is ready when it resolves, and has admission as every cluster has it, Pod Security included; there
 * is no scheduler. Rejects, leaving nothing running, with what a process that does not come up last said.
 */
export async function startControlPlane(
  programs: ControlPlanePrograms,
  folder: string,
): Promise<ControlPlane> {
  const logs = join(folder, 'logs');
  mkdirSync(logs, { recursive: true });
  const claims = portClaims();
  const isFree = async (port: number) => claims.claim(port) && (await isPortFree(port));
  const { ports } = await choosePorts(usualPorts, {}, isFree);
  const parts: Parts = { programs, folder, ports };
  const files = await makeIdentities(folder);
  const api = apiClient(`https://127.0.0.1:${ports.api}`, files.admin);
  const kubeconfig = writeKubeconfig(folder, api.url, files.admin);
  const running: { name: string; life: RunningProcess }[] = [];
  const stop = async () => {
    // Callers before what they call.
    for (const { life } of running.splice(0).reverse()) await life.stop();
    api.close();
    claims.release();
  };
  try {
    for (const part of [etcd(parts), apiServer(parts, files, api), controllers(parts, kubeconfig, api)]) {
      const life = await launch(
        {
          ...parentBound('TERM').wrap(part.command, part.args),
          name: part.name,
          env: { PATH: process.env.PATH ?? '' },
          cwd: folder,
          stopSignal: 'SIGTERM',
          stopWithinMs: STOP_MS,
          channel: false,
          isReady: part.isReady,
          readyWithinMs: READY_MS,
        },
        logs,
      );
      running.push({ name: part.name, life });
      if (!(await life.ready())) throw new Error(await whyNot(part.name, life, logs));
    }
  } catch (error) {
    await stop();
    throw error;
  }
  const broken = Promise.race(
    running.map(async ({ name, life }) => `${name} ended: ${describe(await life.ended)}`),
  );
  return { kubeconfig, api, logs, broken, stop };
}

interface Part {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly isReady: () => Promise<boolean>;
}

function etcd({ programs, folder, ports }: Parts): Part {
  const [clients, peers] = [`http://127.0.0.1:${ports.etcd}`, `http://127.0.0.1:${ports.etcdPeers}`];
  return {
    name: 'etcd',
    command: programs.etcd,
    args: [
      ...[`--data-dir=${join(folder, 'etcd')}`, `--initial-cluster=default=${peers}`],
      ...[`--listen-client-urls=${clients}`, `--advertise-client-urls=${clients}`],
      ...[`--listen-peer-urls=${peers}`, `--initial-advertise-peer-urls=${peers}`],
      // What it holds is thrown away when it ends.
      '--unsafe-no-fsync',
    ],
    isReady: () => answersOk(`${clients}/readyz`),
  };
}

function apiServer({ programs, folder, ports }: Parts, files: Identities, api: ApiClient): Part {
  return {
    name: 'kube-apiserver',
    command: programs.apiServer,
    args: [
      `--etcd-servers=http://127.0.0.1:${ports.etcd}`,
      ...['--bind-address=127.0.0.1', '--advertise-address=127.0.0.1', `--secure-port=${ports.api}`],
      ...[`--tls-cert-file=${files.server.certificate}`, `--tls-private-key-file=${files.server.key}`],
      `--cert-dir=${join(folder, 'api-server')}`,
      `--client-ca-file=${files.server.authority}`,
      '--authorization-mode=RBAC',
      // As everywhere: who may be privileged is Pod Security's affair.
      '--allow-privileged=true',
      `--service-account-issuer=${TOKEN_ISSUER}`,
      `--service-account-key-file=${files.tokenKey}`,
      `--service-account-signing-key-file=${files.tokenKey}`,
      `--service-cluster-ip-range=${SERVICE_RANGE}`,
    ],
    isReady: () => answers(api, '/readyz'),
  };
}

function controllers({ programs, folder, ports }: Parts, kubeconfig: string, api: ApiClient): Part {
  return {
    name: 'kube-controller-manager',
    command: programs.controllerManager,
    args: [
      `--kubeconfig=${kubeconfig}`,
      ...['--bind-address=127.0.0.1', `--secure-port=${ports.controllers}`],
      `--cert-dir=${join(folder, 'controllers')}`,
      `--service-account-private-key-file=${join(folder, 'identity', 'tokens.pem')}`,
      `--root-ca-file=${join(folder, 'identity', 'authority.pem')}`,
      '--use-service-account-credentials=true',
      '--leader-elect=false',
    ],
    // Made by the last of the controllers that a new namespace needs.
    isReady: () => answers(api, '/api/v1/namespaces/default/serviceaccounts/default'),
  };
}

interface Identities {
  readonly server: Certificates;
  readonly admin: Certificates;
  /** Signs tokens of service accounts. */
  readonly tokenKey: string;
}

async function makeIdentities(folder: string): Promise<Identities> {
  const at = (name: string) => join(folder, 'identity', name);
  mkdirSync(at('.'), { recursive: true, mode: 0o700 });
  const authority = at('authority.pem');
  const files = (name: string) => ({ authority, certificate: at(`${name}.pem`), key: at(`${name}-key.pem`) });
  const [server, admin, tokenKey] = [files('server'), files('admin'), at('tokens.pem')];
  const alsoNames = ['kubernetes.default.svc', 'kubernetes.default.svc.cluster.local'];
  await makeCertificates('cluster of processes', authority, [
    { name: 'kubernetes', alsoNames, alsoAddresses: [API_SERVICE], asClient: false, files: server },
    { name: 'administrator', organisation: 'system:masters', asClient: true, files: admin },
  ]);
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  writeFileSync(tokenKey, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  return { server, admin, tokenKey };
}

/** JSON, which is YAML, too. */
function writeKubeconfig(folder: string, server: string, { authority, certificate, key }: Certificates) {
  const path = join(folder, 'kubeconfig');
  const name = 'processes';
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server, 'certificate-authority': authority } }],
    users: [{ name, user: { 'client-certificate': certificate, 'client-key': key } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    'current-context': name,
  };
  writeFileSync(path, `${JSON.stringify(config, null, 2)}\n`, { mode: 0o600 });
  return path;
}

async function answers(api: ApiClient, path: string): Promise<boolean> {
  return (await api.request('GET', path).catch(() => undefined))?.status === 200;
}

async function answersOk(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(ANSWER_MS) })).ok;
  } catch {
    return false;
  }
}

async function whyNot(name: string, life: RunningProcess, logs: string): Promise<string> {
  await life.stop();
  return `${name} did not come up (${describe(await life.ended)}); its log is ${join(logs, `${name}.log`)}`;
}

const describe = ({ how, lastWords }: Ending) => (lastWords ? `${how}: ${lastWords}` : how);
