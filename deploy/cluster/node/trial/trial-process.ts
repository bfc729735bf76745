// What node.test.ts starts in namespaces of its own: a control plane and a node, what they are asked to do, and one line
// of JSON on stdout with all that was seen.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitUntil } from '../../../local/wait-until.ts';
import { obtainControlPlane } from '../../control-plane/obtain.ts';
import { startControlPlane } from '../../control-plane/start.ts';
import { type ImageFiles, type RunningNode, startNode } from '../index.ts';
import { ask, loadDuring } from './load.ts';
import { claim, IMAGE, job, NAMESPACE, pod, secret, server, service, settings } from './objects.ts';

const PATIENCE = { withinMs: 120_000, everyMs: 100 };
const [folder = '', checkout = ''] = process.argv.slice(2);
const CORE = `/api/v1/namespaces/${NAMESPACE}`;
const APPS = `/apis/apps/v1/namespaces/${NAMESPACE}`;
const BATCH = `/apis/batch/v1/namespaces/${NAMESPACE}`;

const image: ImageFiles = {
  entrypoint: ['node'],
  command: ['server.mjs'],
  folder: join(import.meta.dirname, 'app'),
  environment: { PATH: '/nodejs:/usr/bin:/bin' },
  mounts: [
    { source: join(import.meta.dirname, 'app'), target: '/app' },
    { source: dirname(process.execPath), target: '/nodejs' },
  ],
};
const mountsBefore = mounts();
const plane = await startControlPlane(await obtainControlPlane(), join(folder, 'plane'));
const { api } = plane;
const startedProcesses = processes().length;
const node = await startNode({
  ...{ kubeconfig: plane.kubeconfig, stateFolder: join(folder, 'state'), images: new Map([[IMAGE, image]]) },
  names: new Map([['elsewhere.example', '192.0.2.7']]),
  log: (line) => appendFileSync(join(folder, 'node.log'), `${new Date().toISOString()} ${line}\n`),
});

interface PodView {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly status: {
    readonly phase: string;
    readonly containerStatuses?: readonly ContainerView[];
  };
}
interface ContainerView {
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state: Readonly<Record<string, { readonly reason?: string; readonly exitCode?: number }>>;
  readonly lastState?: Readonly<Record<string, { readonly exitCode?: number }>>;
}
const podNamed = (name: string) => api.get<PodView>(`${CORE}/pods/${name}`);
const containerOf = async (name: string) => (await podNamed(name)).status.containerStatuses?.[0];

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  if (!(await waitUntil(async () => ((await holds()) ? true : undefined), PATIENCE)))
    throw new Error(`it was not so in time: ${what}`);
}

async function settled(name: string): Promise<void> {
  await until(`deployment ${name} is settled`, async () => {
    const { metadata, spec, status } = await api.get<{
      metadata: { generation: number };
      spec: { replicas: number };
      status: Readonly<Record<string, number>>;
    }>(`${APPS}/deployments/${name}`);
    const { observedGeneration, replicas, updatedReplicas, availableReplicas } = status;
    return (
      observedGeneration === metadata.generation &&
      [replicas, updatedReplicas, availableReplicas].every((each) => each === spec.replicas)
    );
  });
  // Pods that are being ended count no more, and are still there.
  await until(`old pods of ${name} are gone`, async () => {
    const { items } = await api.get<{ items: PodView[] }>(`${CORE}/pods?labelSelector=app%3D${name}`);
    return items.every(({ metadata }) => metadata.deletionTimestamp === undefined);
  });
}

async function serves() {
  for (const [path, object] of [
    [`${CORE}/secrets`, secret('first')],
    [`${CORE}/configmaps`, settings],
    [`${CORE}/services`, service],
    [`${APPS}/deployments`, server(checkout)],
  ] as const)
    await api.post(path, object);
  await settled('server');
  const address = await serviceAddress();
  return { ...JSON.parse(await ask(address, false, '/seen')), address };
}

async function serviceAddress(): Promise<string> {
  const { spec } = await api.get<{ spec: { clusterIP: string } }>(`${CORE}/services/server`);
  return spec.clusterIP;
}

/** What a pod finds by names, through getaddrinfo and from a name server alone. */
async function names() {
  const script = `
    const dns = require('node:dns').promises;
    const tried = (promise) => promise.catch((error) => error.code);
    (async () => console.log(JSON.stringify({
      short: await tried(fetch('http://server/').then((answer) => answer.text())),
      long: await tried(fetch('http://server.trial.svc/').then((answer) => answer.text())),
      asked: await tried(dns.resolve4('server.trial.svc.cluster.local')),
      other: await tried(dns.resolve4('elsewhere.example')),
      unknown: await tried(dns.lookup('nowhere.example')),
    })))()`;
  await api.post(`${BATCH}/jobs`, job('client', script, 0));
  const name = await finished('client');
  const { from, to } = node.connections().find((each) => each.from?.name === name) ?? {};
  return {
    found: JSON.parse(await node.podLog(NAMESPACE, name, 'main')),
    connection: { from: from?.labels['job-name'], service: to?.service, port: to?.port, to: to?.labels.app },
  };
}

/** The last pod of a Job that has succeeded. */
async function finished(name: string): Promise<string> {
  await until(`job ${name} has succeeded`, async () => {
    const { status } = await api.get<{ status: { succeeded?: number } }>(`${BATCH}/jobs/${name}`);
    return status.succeeded === 1;
  });
  const { items } = await api.get<{ items: PodView[] }>(`${CORE}/pods?labelSelector=job-name%3D${name}`);
  return items.find(({ status }) => status.phase === 'Succeeded')?.metadata.name ?? '';
}

async function restarts() {
  const annotations = { restarted: 'yes' };
  const work = api
    .patch(`${APPS}/deployments/server`, { spec: { template: { metadata: { annotations } } } })
    .then(() => settled('server'));
  const load = await loadDuring(await serviceAddress(), work);
  const refused = node.connections().reduce((sum, each) => sum + (each.refused ?? 0) * each.count, 0);
  return { ...load, refused };
}

/** Fails until its third pod, which the claim that they share tells it. */
async function jobFailsTwice() {
  const script = `
    const fs = require('node:fs');
    fs.appendFileSync('/scratch/attempts', 'x');
    process.exit(fs.readFileSync('/scratch/attempts').length < 3 ? 3 : 0)`;
  const object = job('stubborn', script, 4);
  const { spec } = object.spec.template;
  const [container] = spec.containers;
  const mounted = { ...container, volumeMounts: [{ name: 's', mountPath: '/scratch' }] };
  const volumes = [{ name: 's', persistentVolumeClaim: { claimName: 'scratch' } }];
  await api.post(`${BATCH}/jobs`, {
    ...object,
    spec: { ...object.spec, template: { spec: { ...spec, containers: [mounted], volumes } } },
  });
  await finished('stubborn');
  const { status } = await api.get<{ status: object }>(`${BATCH}/jobs/stubborn`);
  return status;
}

async function livenessFails() {
  const script = `
    let asked = 0;
    require('node:http').createServer((request, response) => {
      response.writeHead(asked++ < 2 ? 200 : 500).end();
    }).listen(8080);
    process.on('SIGTERM', () => process.exit(5));`;
  const livenessProbe = {
    httpGet: { path: '/live', port: 8080 },
    periodSeconds: 1,
    failureThreshold: 2,
    timeoutSeconds: 5,
  };
  await api.post(`${CORE}/pods`, pod('sickly', script, { livenessProbe }));
  await until('sickly was restarted', async () => {
    const container = await containerOf('sickly');
    return (container?.restartCount ?? 0) > 0 && container?.state.running !== undefined;
  });
  return (await containerOf('sickly'))?.lastState?.terminated?.exitCode;
}

async function waitsForSecret() {
  const env = [{ name: 'LATE', valueFrom: { secretKeyRef: { name: 'late', key: 'password' } } }];
  await api.post(
    `${CORE}/pods`,
    pod('patient', 'console.log(process.env.LATE); setInterval(() => {}, 1e6)', { env }),
  );
  let reason: string | undefined;
  await until('patient says why it waits', async () => {
    reason = (await containerOf('patient'))?.state.waiting?.reason;
    return reason === 'CreateContainerConfigError';
  });
  await api.post(`${CORE}/secrets`, { ...secret('late'), metadata: { name: 'late' } });
  await until('patient runs', async () => (await containerOf('patient'))?.state.running !== undefined);
  let said = '';
  await until('patient says something', async () => {
    said = (await node.podLog(NAMESPACE, 'patient', 'main')).trim();
    return said !== '';
  });
  return { reason, said };
}

async function secretChanges() {
  await api.patch(`${CORE}/secrets/secret`, { stringData: { password: 'second' } });
  const address = await serviceAddress();
  await until(
    'the file has the new password',
    async () => (await ask(address, false, '/secret')) === 'second',
  );
  return 'second';
}

/** One that ignores SIGTERM is ended when its time is over; nothing of it is left. */
async function deaf() {
  await api.post(`${CORE}/pods`, pod('deaf', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1e6)"));
  await until('deaf runs', async () => (await containerOf('deaf'))?.state.running !== undefined);
  await api.delete(`${CORE}/pods/deaf`);
  await until('deaf is gone', async () => (await api.request('GET', `${CORE}/pods/deaf`)).status === 404);
  return 'gone';
}

function mounts(): string[] {
  return readFileSync('/proc/self/mounts', 'utf8').trim().split('\n');
}

/** Processes of these namespaces that have not ended. */
function processes(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => !/^State:\s*Z/m.test(textOf(`/proc/${pid}/status`)))
    .map((pid) => textOf(`/proc/${pid}/cmdline`).replaceAll('\0', ' ').slice(0, 100));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return 'State: Z';
  }
}

async function stopLeaves(running: RunningNode) {
  await running.stop();
  return {
    processes: processes().length - startedProcesses,
    interfaces: execFileSync('ip', ['-brief', 'link'], { encoding: 'utf8' }).trim().split('\n').length,
    mounts: mounts().filter((mount) => !mountsBefore.includes(mount)).length,
    files: readdirSync(folder).includes('state'),
  };
}

async function main(): Promise<Record<string, unknown>> {
  await api.post('/api/v1/namespaces', {
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  await api.post(`${CORE}/persistentvolumeclaims`, claim);
  const seen: Record<string, unknown> = {};
  const run = async (step: () => Promise<unknown>) => {
    const began = Date.now();
    seen[step.name] = await step().catch((error) => ({ failed: String(error) }));
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    console.error(`${step.name} ${seconds} s ${JSON.stringify(seen[step.name])}`);
  };
  // The controller of Jobs waits half a minute.
  const job = run(jobFailsTwice);
  for (const step of [serves, names, restarts, livenessFails, waitsForSecret, secretChanges, deaf])
    await run(step);
  await job;
  seen.stopLeaves = await stopLeaves(node);
  return seen;
}

console.log(JSON.stringify(await main()));
await plane.stop();
