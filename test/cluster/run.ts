import { admitted } from './admission.ts';
import type { Client } from './client/client-process.ts';
import { openClient } from './client/open-client.ts';
import type { Cluster } from './cluster.ts';
import { lookedAt } from './console.ts';
import { disturbancesOf } from './disturbances.ts';
import { attackedByContent } from './hostile-content.ts';
import { TAGS } from './images/node-images.ts';
import { hostOf, type Installation, NAMESPACE, prepareInstallation } from './installation.ts';
import { alertsFire, answersAll, startPrometheus } from './monitoring.ts';
import { type Connection, followConnections, forbidden, type NetworkPolicy } from './network-policies.ts';
import type { OutsideCertificates } from './outside.ts';
import { installPrepared, type PublishedRelease } from './prepared-production.ts';
import { type Facts, step } from './progress.ts';
import { brokenUpgrade, CHANGED, forgottenJobs, tryOut, uninstall, verifyAudits } from './release-steps.ts';
import { lookedUp } from './runbooks.ts';
import { type Promised, sustainable, underLoad } from './under-load.ts';

export interface ClusterSettings {
  readonly checkout: string;
  readonly folder: string;
  /** Path of Helm. */
  readonly helm: string;
  readonly short: boolean;
  readonly keep: boolean;
  readonly on:
    | {
        /** An existing cluster that kubectl can reach, and where it gets our images. */
        readonly context: string;
        readonly registry: string;
        readonly tag: string;
      }
    | {
        /** The program of a local node: Kubernetes. */
        readonly program: string;
        /** Archive of images. */
        readonly images: string;
        readonly outside: OutsideCertificates;
        /** Path of the staff command line, installed from its package. */
        readonly sss: string;
        /** Absent where this machine has no registry. */
        readonly published: PublishedRelease | undefined;
      };
}

/** Runs every step of the scenario. Rejects at the first step that fails. */
export async function runScenario(cluster: Cluster, settings: ClusterSettings): Promise<void> {
  const { on, folder, keep } = settings;
  const { registry, tag } = 'context' in on ? on : { registry: 'localhost', tag: TAGS.first };
  const login = 'context' in on ? undefined : on.outside.login;
  const installation = await prepareInstallation(cluster, folder, { image: { registry, tag } }, login);
  try {
    const client = await openClient(cluster, `${registry}/supplier-submissions-gateway:${tag}`);
    await steps(cluster, installation, client, settings);
  } finally {
    // A local node is removed as a whole.
    if (!cluster.node && !keep) await cluster.kubectl('delete', 'namespace', NAMESPACE);
  }
}

async function steps(
  cluster: Cluster,
  installation: Installation,
  client: Client,
  { on, short, keep, folder }: ClusterSettings,
): Promise<void> {
  const { node } = cluster;
  const { install, upgrade, restart, rollback, workloads, known } = installation;
  const connections = node && followConnections(workloads);
  let perSecond = 0;
  const loaded = (name: string, promised: Promised, work: () => Promise<unknown>) =>
    step(`${name}, under load`, () => underLoad(client, perSecond, promised, work));
  const nothingLost = () => step('every lead exists and is decided', () => client.nothingLost());
  const own = 'context' in on ? undefined : on;
  const noneFails = short ? 'no create fails on a busy machine' : 'no create fails';

  if (node) await step('the production values are valid and create all pods', () => admitted(cluster));
  const { sss } = own ?? {};
  if (sss) await step('the kind installation in install.md, command by command', () => tryOut(cluster, sss));
  await step('helm install --wait in a namespace that allows only restricted pods', install);
  let first: Facts = {};
  await step('an account, an enquiry, its Application, its signed webhook and a document', async () => {
    await client.begin({ ...(await known()), receiver: own?.outside.receiver });
    first = await client.mainJob();
    return first;
  });
  if (own)
    await step('staff log in to the console in a browser and see the queues', () =>
      lookedAt(hostOf('console'), String(first.submission)),
    );
  if (node)
    await step('Prometheus scrapes the targets of the ServiceMonitor', () =>
      startPrometheus(cluster, folder),
    );
  await step('the load that this machine can sustain', async () => {
    perSecond = await sustainable(client);
    return { 'creates a second from now on': perSecond };
  });
  await loaded('helm upgrade --wait of every pod', noneFails, () => upgrade(CHANGED));
  await loaded('every Deployment restarted', noneFails, restart);
  await loaded('helm rollback --wait', noneFails, rollback);
  let current: Readonly<Record<string, unknown>> = {};
  if (own && !short) {
    current = { ...CHANGED, image: { tag: TAGS.mended } };
    await loaded(
      'a failing migration stops an upgrade, and the previous version keeps serving',
      noneFails,
      () => brokenUpgrade(installation),
    );
    await loaded('the fixed version upgrades', noneFails, () => upgrade(current));
    await forgottenJobs(cluster);
  }
  const disturb = disturbancesOf(cluster, installation, client, current);
  await step('kubectl exec and logs work, and the root is read-only', () => disturb.lookedInto());
  await step('code in the content container reaches nothing of the scanner', () =>
    attackedByContent(cluster, installation),
  );
  await loaded('pods evicted', noneFails, () => disturb.evicted());
  await loaded('a node cordoned, drained and uncordoned', noneFails, () => disturb.drained());
  await loaded('a certificate renewed', noneFails, () => disturb.certificateRenewed());
  await nothingLost();
  if (node)
    await step('every rule evaluates, and every query of rules and dashboards returns data', answersAll);
  await loaded('pods killed', 'no lead is lost', () => disturb.killed());
  await loaded('a container out of memory', 'no lead is lost', () => disturb.outOfMemory());
  if (node) {
    if (!short) await loaded('a process that hangs', 'no lead is lost', () => disturb.hanging(node));
    await loaded('the node loses its power', 'no lead is lost', () => disturb.rebooted(node));
  }
  await nothingLost();
  if (node && !short)
    await loaded('without NATS and the scanner three alerts fire, then resolve', 'no lead is lost', () =>
      alertsFire(cluster),
    );
  await step('the commands in runbooks.md work', () => lookedUp(cluster, installation));
  await step('each audit log is verified by its CronJob', () => verifyAudits(cluster));
  if (connections)
    await step('no pod connected to anything outside the network policies', () =>
      edges(cluster, connections),
    );
  if (node)
    await step('every service is ready again after PostgreSQL is lost with its pod', () =>
      disturb.databaseLost(),
    );
  if (keep) return;
  await step('helm uninstall leaves nothing behind', () => uninstall(cluster));
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
