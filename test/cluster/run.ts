import type { Cluster } from '../../deploy/cluster/cluster.ts';
import { admitted } from './admission.ts';
import type { Client } from './client/client.ts';
import { openClient } from './client/open-client.ts';
import type { ReceiverOrder } from './client/receiver.ts';
import { type Connection, followConnections } from './connections.ts';
import { lookedAt } from './console.ts';
import { disturbancesOf } from './disturbances.ts';
import {
  hostOf,
  type Installation,
  type InstallationOptions,
  NAMESPACE,
  prepareInstallation,
} from './installation.ts';
import { startPrometheus } from './monitoring.ts';
import { forbidden, type NetworkPolicy } from './network-policies.ts';
import { installPrepared } from './prepared-production.ts';
import type { Facts, Progress } from './progress.ts';
import type { PublishedRelease } from './published-release.ts';
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
import { type Promised, sustainable, underLoad } from './under-load.ts';

export interface ScenarioOptions extends InstallationOptions {
  /** Image of the gateway, which holds Node. */
  readonly gateway: string;
  /** Where webhooks are received; absent where they cannot be. */
  readonly receiver: ReceiverOrder | undefined;
  /** The tag of images whose migration fails, and that of the same, mended; absent where there are none. */
  readonly versions: { readonly broken: string; readonly mended: string } | undefined;
  /** What users are given beside the checkout; absent where it is not made. */
  readonly handedOver: { readonly sss: string; readonly published: PublishedRelease | undefined } | undefined;
  /** Leaves out what takes a minute, and does not take the machine for idle. */
  readonly short: boolean;
  /** Leaves the release installed. */
  readonly keep: boolean;
}

/** Creates while pods are replaced. */
const PER_SECOND = 25;
/** After pods were restarted. */
const SETTLED_MS = 240_000;

interface Scene {
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly client: Client;
}

/** Installs, works, upgrades, restarts and rolls back under load, disturbs it, fails to migrate, and uninstalls. Rejects at a step that does not hold. */
export async function runScenario(
  cluster: Cluster,
  options: ScenarioOptions,
  progress: Progress,
): Promise<void> {
  const installation = await prepareInstallation(cluster, options);
  try {
    const connections = cluster.node && followConnections(installation.workloads);
    const client = await openClient(cluster, options.gateway);
    await steps({ cluster, installation, client }, connections, options, progress);
  } finally {
    // A node of our own goes as a whole.
    if (!cluster.node && !options.keep) await cluster.kubectl('delete', 'namespace', NAMESPACE);
  }
}

async function steps(
  { cluster, installation, client }: Scene,
  connections: (() => Connection[]) | undefined,
  options: ScenarioOptions,
  { step }: Progress,
): Promise<void> {
  let perSecond = PER_SECOND;
  const loaded = (name: string, promised: Promised, work: () => Promise<unknown>) =>
    step(`${name}, under load`, () => underLoad(client, perSecond, promised, work));
  const nothingLost = () => step('every lead is found and decided', () => client.nothingLost());
  const { node } = cluster;
  const noneFails = options.short ? 'none fails on a busy machine' : 'none fails';

  if (node)
    await step('the values for production are taken, and all of their pods made', () => admitted(cluster));
  const { sss, published } = options.handedOver ?? {};
  if (sss) await step('what install.md says for kind, word by word', () => tryOut(cluster, sss));
  await step('helm install --wait, in a namespace for restricted pods alone', () => install(installation));
  let submission = '';
  await step('an account, an enquiry, its Application, its signed webhook and a document', async () => {
    await client.begin({ ...(await installation.known()), receiver: options.receiver });
    const facts = await client.mainJob();
    submission = String(facts.submission);
    return facts;
  });
  if (options.login)
    await step('staff log in to the console in a browser, and see what waits', () =>
      lookedAt(hostOf('console'), submission),
    );
  let prometheus: Awaited<ReturnType<typeof startPrometheus>> | undefined;
  if (node)
    await step('Prometheus scrapes what the ServiceMonitor says', async () => {
      prometheus = await startPrometheus(cluster, options.folder);
      return prometheus.targets();
    });
  await step('the load that this machine can give while nothing is replaced', async () => {
    perSecond = await sustainable(client, PER_SECOND);
    return { 'creates a second, from now on': perSecond };
  });
  await loaded('helm upgrade --wait of every pod', noneFails, () => upgrade(installation, CHANGED));
  await loaded('every Deployment restarted', noneFails, () => restart(cluster, installation));
  await loaded('helm rollback --wait', noneFails, () => rollback(installation));
  let current: Readonly<Record<string, unknown>> = {};
  if (options.versions) {
    const { mended } = options.versions;
    current = { ...CHANGED, image: { tag: mended } };
    await loaded('a migration that fails stops an upgrade, and the version before serves', noneFails, () =>
      brokenUpgrade(installation),
    );
    await loaded('the mended version upgrades', noneFails, () => upgrade(installation, current));
    await forgottenJobs(cluster);
  }
  const disturbances = disturbancesOf(cluster, installation, client, current);
  await step('kubectl exec and logs, a root that is read-only', () => disturbances.lookedInto());
  await loaded('pods evicted', noneFails, () => disturbances.evicted());
  await loaded('a node cordoned, drained and uncordoned', noneFails, () => disturbances.drained());
  await loaded('a certificate renewed', noneFails, () => disturbances.certificateRenewed());
  await nothingLost();
  if (prometheus)
    await step(
      'every rule evaluates, and every query of rules and dashboards finds data',
      prometheus.answersAll,
    );
  await loaded('pods killed', 'none is lost', () => disturbances.killed());
  await loaded('a container out of memory', 'none is lost', () => disturbances.outOfMemory());
  if (node) {
    if (!options.short)
      await loaded('a process that hangs', 'none is lost', () => disturbances.hanging(node));
    await loaded('the node loses its power', 'none is lost', () => disturbances.rebooted(node));
  }
  await nothingLost();
  if (prometheus && !options.short)
    await loaded('without NATS and scanner three alerts fire, and end', 'none is lost', prometheus.alerts);
  await step('the commands of runbooks.md, as they stand there', async () => {
    const facts = await lookedUp(cluster, await installation.known());
    await installation.workloads.settled(SETTLED_MS);
    return facts;
  });
  await step('each audit log is verified by its CronJob', () => verifyAudits(cluster));
  if (connections)
    await step('no pod connected to what policies do not list', () => edges(cluster, connections));
  if (node)
    await step('PostgreSQL is lost with its pod, and every service is ready again', () =>
      disturbances.databaseLost(),
    );
  if (options.keep) return;
  await step('helm uninstall leaves nothing behind', () => uninstall(cluster, installation));
  // Last: once the node has pulled these images, it has those of the same contents under no other name.
  if (published)
    await step('what install.md says for production, prepared and installed from a registry', () =>
      installPrepared(cluster, published),
    );
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
