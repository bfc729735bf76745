import { readFileSync } from 'node:fs';
import type { Cluster } from '../../deploy/cluster/cluster.ts';
import { TAGS } from '../../deploy/cluster/images/node-images.ts';
import { admitted } from './admission.ts';
import type { Client } from './client/client.ts';
import { openClient } from './client/open-client.ts';
import { type Connection, followConnections } from './connections.ts';
import { lookedAt } from './console.ts';
import { disturbancesOf } from './disturbances.ts';
import { hostOf, type Installation, NAMESPACE, prepareInstallation } from './installation.ts';
import { startPrometheus } from './monitoring.ts';
import { forbidden, type NetworkPolicy } from './network-policies.ts';
import { type OutsideCertificates, RECEIVER } from './outside-certificates.ts';
import { installPrepared } from './prepared-production.ts';
import type { Facts, Progress } from './progress.ts';
import {
  brokenUpgrade,
  CHANGED,
  forgottenJobs,
  install,
  restart,
  rollback,
  tryOut,
  uninstall,
  upgrade,
  verifyAudits,
} from './release-steps.ts';
import { lookedUp } from './runbooks.ts';
import type { ClusterSettings } from './settings.ts';
import { type Promised, sustainable, underLoad } from './under-load.ts';

/** The rate of creates while pods are replaced. */
const PER_SECOND = 25;
/** The timeout after pods were restarted. */
const SETTLED_MS = 240_000;

interface Scene {
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly client: Client;
  readonly connections: (() => Connection[]) | undefined;
}

/** Runs every step of the scenario. Rejects at the first step that fails. */
export async function runScenario(
  cluster: Cluster,
  settings: ClusterSettings,
  progress: Progress,
): Promise<void> {
  const { on, folder, keep } = settings;
  const image = 'context' in on ? { registry: on.registry, tag: on.tag } : { tag: TAGS.first };
  const login = 'context' in on ? undefined : on.outside.login;
  const installation = await prepareInstallation(cluster, folder, { image }, login);
  try {
    const connections = cluster.node && followConnections(installation.workloads);
    const gateway = `${'context' in on ? on.registry : 'localhost'}/supplier-submissions-gateway:${image.tag}`;
    const client = await openClient(cluster, gateway);
    await steps({ cluster, installation, client, connections }, settings, progress);
  } finally {
    // A local node is removed as a whole.
    if (!cluster.node && !keep) await cluster.kubectl('delete', 'namespace', NAMESPACE);
  }
}

async function steps(
  { cluster, installation, client, connections }: Scene,
  { on, short, keep, folder }: ClusterSettings,
  { step }: Progress,
): Promise<void> {
  let perSecond = PER_SECOND;
  const loaded = (name: string, promised: Promised, work: () => Promise<unknown>) =>
    step(`${name}, under load`, () => underLoad(client, perSecond, promised, work));
  const nothingLost = () => step('every lead exists and is decided', () => client.nothingLost());
  const { node } = cluster;
  const own = 'context' in on ? undefined : on;
  const noneFails = short ? 'no create fails on a busy machine' : 'no create fails';

  if (node) await step('the production values are valid and create all pods', () => admitted(cluster));
  const { sss } = own ?? {};
  if (sss) await step('the kind installation in install.md, command by command', () => tryOut(cluster, sss));
  await step('helm install --wait in a namespace that allows only restricted pods', () =>
    install(installation),
  );
  let submission = '';
  await step('an account, an enquiry, its Application, its signed webhook and a document', async () => {
    await client.begin({ ...(await installation.known()), receiver: own && receiverOf(own.outside) });
    const facts = await client.mainJob();
    submission = String(facts.submission);
    return facts;
  });
  if (own)
    await step('staff log in to the console in a browser and see the queues', () =>
      lookedAt(hostOf('console'), submission),
    );
  let prometheus: Awaited<ReturnType<typeof startPrometheus>> | undefined;
  if (node)
    await step('Prometheus scrapes the targets of the ServiceMonitor', async () => {
      prometheus = await startPrometheus(cluster, folder);
      return prometheus.targets();
    });
  await step('the load that this machine can sustain', async () => {
    perSecond = await sustainable(client, PER_SECOND);
    return { 'creates a second from now on': perSecond };
  });
  await loaded('helm upgrade --wait of every pod', noneFails, () => upgrade(installation, CHANGED));
  await loaded('every Deployment restarted', noneFails, () => restart(cluster, installation));
  await loaded('helm rollback --wait', noneFails, () => rollback(installation));
  let current: Readonly<Record<string, unknown>> = {};
  if (own && !short) {
    current = { ...CHANGED, image: { tag: TAGS.mended } };
    await loaded(
      'a failing migration stops an upgrade, and the previous version keeps serving',
      noneFails,
      () => brokenUpgrade(installation),
    );
    await loaded('the fixed version upgrades', noneFails, () => upgrade(installation, current));
    await forgottenJobs(cluster);
  }
  const disturbances = disturbancesOf(cluster, installation, client, current);
  await step('kubectl exec and logs work, and the root is read-only', () => disturbances.lookedInto());
  await loaded('pods evicted', noneFails, () => disturbances.evicted());
  await loaded('a node cordoned, drained and uncordoned', noneFails, () => disturbances.drained());
  await loaded('a certificate renewed', noneFails, () => disturbances.certificateRenewed());
  await nothingLost();
  if (prometheus)
    await step(
      'every rule evaluates, and every query of rules and dashboards returns data',
      prometheus.answersAll,
    );
  await loaded('pods killed', 'no lead is lost', () => disturbances.killed());
  await loaded('a container out of memory', 'no lead is lost', () => disturbances.outOfMemory());
  if (node) {
    if (!short) await loaded('a process that hangs', 'no lead is lost', () => disturbances.hanging(node));
    await loaded('the node loses its power', 'no lead is lost', () => disturbances.rebooted(node));
  }
  await nothingLost();
  if (prometheus && !short)
    await loaded(
      'without NATS and the scanner three alerts fire, then resolve',
      'no lead is lost',
      prometheus.alerts,
    );
  await step('the commands in runbooks.md work', async () => {
    const facts = await lookedUp(cluster, await installation.known());
    await installation.workloads.settled(SETTLED_MS);
    return facts;
  });
  await step('each audit log is verified by its CronJob', () => verifyAudits(cluster));
  if (connections)
    await step('no pod connected to anything outside the network policies', () =>
      edges(cluster, connections),
    );
  if (node)
    await step('every service is ready again after PostgreSQL is lost with its pod', () =>
      disturbances.databaseLost(),
    );
  if (keep) return;
  await step('helm uninstall leaves nothing behind', () => uninstall(cluster, installation));
  // This step is last: once the node has pulled these images, it no longer has the same contents under another name.
  if (own?.published) {
    const { outside, published } = own;
    await step('the production installation in install.md, prepared and installed from a registry', () =>
      installPrepared(cluster, published, outside.store),
    );
  }
}

async function edges({ api }: Cluster, connections: () => Connection[]): Promise<Facts> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`;
  const { items } = await api.get<{ items: NetworkPolicy[] }>(path);
  const seen = connections();
  const wrong = forbidden(seen, items);
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
  if (seen.length < 10) throw new Error(`only ${seen.length} connections were seen`);
  return { policies: items.length, 'connections seen': seen.length };
}

const receiverOf = ({ receiver: { certificate, key } }: OutsideCertificates) => ({
  ...RECEIVER,
  cert: readFileSync(certificate, 'utf8'),
  key: readFileSync(key, 'utf8'),
});
