import { percentile } from '../../local/bench/statistics.ts';
import { waitUntil } from '../../local/wait-until.ts';
import type { Cluster } from '../cluster.ts';
import { type Installation, NAMESPACE, prepareInstallation } from './installation.ts';
import { objectsIn } from './leftovers.ts';
import { type Load, type LoadOrder, type SentCreate, startLoad } from './load.ts';
import { forbidden, type NetworkPolicy } from './network-policies.ts';
import type { Facts, Progress } from './progress.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { mainJob, makeSupplier, nothingLost, type Supplier } from './supplier.ts';

export interface ScenarioOptions {
  readonly checkout: string;
  readonly folder: string;
  readonly helm: string;
  readonly perSecond: number;
  /** Leaves out the migration that fails. */
  readonly short: boolean;
  /** Leaves the release installed. */
  readonly keep: boolean;
}

const WITHIN_S = 240;
/** How long an upgrade is waited for whose migration fails. */
const FAILING_S = 40;
const KEPT_ALIVE = 20;
const LEAST_PER_SECOND = 5;
/** How many times the load a machine must be able to give before pods are replaced under it. */
const HEADROOM = 8;
const SOON_MS = 1_000;
/** Tags of the versions that the image table has. */
export const TAGS = { first: 'dev', broken: 'broken', mended: 'mended' } as const;
/** What an upgrade changes: two pods of each, of which each is another than before. */
const CHANGED = { defaults: { replicas: 2 }, streams: { maxAgeDays: 6 } };

interface Scene {
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly receiver: Receiver;
  readonly load: Load;
  readonly created: SentCreate[];
  supplier?: Supplier;
}

/** Installs, works, upgrades, restarts and rolls back under load, fails to migrate, and uninstalls. Rejects at a step that does not hold. */
export async function runScenario(
  cluster: Cluster,
  options: ScenarioOptions,
  progress: Progress,
): Promise<void> {
  const installation = await prepareInstallation(cluster, options);
  const receiver = await startReceiver(cluster.receiver);
  const load = startLoad();
  const scene: Scene = { cluster, installation, receiver, load, created: [] };
  let perSecond = options.perSecond;
  const underLoad = async (work: () => Promise<Facts>) => (await under(scene, perSecond, work)).facts;
  try {
    await progress.step('helm install --wait, in a namespace for restricted pods alone', () =>
      install(scene),
    );
    await progress.step('an account, an enquiry, its Application and its signed webhook', () =>
      firstJob(scene),
    );
    await progress.step('the load that this machine can give while nothing is replaced', async () => {
      perSecond = await sustainable(scene, options.perSecond);
      return { 'creates a second, asked for': options.perSecond, 'creates a second, from now on': perSecond };
    });
    await progress.step('helm upgrade --wait to two pods each, under load', () =>
      underLoad(() => upgrade(scene, CHANGED)),
    );
    await progress.step('every Deployment restarted, under load', () => underLoad(() => restart(scene)));
    await progress.step('helm rollback --wait to the revision before, under load', () =>
      underLoad(() => rollback(scene)),
    );
    await progress.step('every lead is found and decided', () =>
      nothingLost(supplierOf(scene), scene.created),
    );
    if (!options.short) {
      await progress.step('a migration that fails stops an upgrade, and the version before serves', () =>
        underLoad(() => brokenUpgrade(scene)),
      );
      await progress.step('the mended version upgrades', () =>
        underLoad(() => upgrade(scene, { ...CHANGED, image: { tag: TAGS.mended } })),
      );
      await progress.step('every lead since is found and decided', () =>
        nothingLost(supplierOf(scene), scene.created),
      );
    }
    await progress.step('each audit log is verified by its CronJob', () => verifyAudits(scene));
    await progress.step('no pod connected to what policies do not list, none refused a connection', () =>
      edges(scene),
    );
    if (options.keep) return;
    await progress.step('helm uninstall leaves nothing behind', () => uninstall(scene));
  } finally {
    load.stop();
    receiver.close();
  }
}

async function install({ installation }: Scene): Promise<Facts> {
  const { release, workloads, chart, values } = installation;
  await release.apply('install', chart, values(), WITHIN_S);
  await workloads.settled(WITHIN_S * 1_000);
  return counts(installation);
}

async function firstJob(scene: Scene): Promise<Facts> {
  const { installation, receiver } = scene;
  const staff = await installation.staff();
  scene.supplier = await makeSupplier(staff, installation.api, receiver);
  return mainJob(scene.supplier, staff, receiver);
}

async function upgrade({ installation }: Scene, set: Readonly<Record<string, unknown>>): Promise<Facts> {
  const { release, workloads, chart, values } = installation;
  await release.apply('upgrade', chart, values(set), WITHIN_S);
  await workloads.settled(WITHIN_S * 1_000);
  return counts(installation);
}

async function restart({ installation }: Scene): Promise<Facts> {
  const { workloads } = installation;
  const ours = (await workloads.deployments())
    .map(({ metadata }) => metadata.name)
    // What is thrown away with its pod is not restarted.
    .filter((name) => !name.includes('-throw-away-'));
  for (const name of ours) await workloads.restart(name);
  await workloads.settled(WITHIN_S * 1_000);
  return counts(installation);
}

async function rollback({ installation }: Scene): Promise<Facts> {
  const { release, workloads } = installation;
  const before = (await release.history()).at(-2);
  if (!before) throw new Error('there is no revision to go back to');
  await release.rollback(before.revision, WITHIN_S);
  await workloads.settled(WITHIN_S * 1_000);
  return { ...(await counts(installation)), 'back to revision': before.revision };
}

async function brokenUpgrade({ installation }: Scene): Promise<Facts> {
  const { release, workloads, chart, values } = installation;
  const refused = await release
    .apply('upgrade', chart, values({ ...CHANGED, image: { tag: TAGS.broken } }), FAILING_S)
    .then(
      () => undefined,
      (error: Error) => error.message,
    );
  if (refused === undefined) throw new Error('the upgrade passed');
  const failed = (await workloads.jobs()).filter(({ status }) => (status.failed ?? 0) > 0);
  if (failed.length !== 1 || !failed[0]?.metadata.name.includes('-migrate-submission-'))
    throw new Error(`failed migrations: ${failed.map(({ metadata }) => metadata.name).join(', ') || 'none'}`);
  return { 'Helm says': refused.split('\n').at(-1) ?? '', 'failed Job': failed[0].metadata.name };
}

/** Starts every CronJob once, as `kubectl create job --from` does, and waits until its Job has succeeded. */
async function verifyAudits({ cluster, installation }: Scene): Promise<Facts> {
  const path = `/apis/batch/v1/namespaces/${NAMESPACE}`;
  const { items } = await cluster.api.get<{ items: CronJob[] }>(`${path}/cronjobs`);
  const wanted = items.map(({ metadata }) => `${metadata.name}-now`);
  for (const { metadata, spec } of items) {
    const { name, uid } = metadata;
    const owner = { apiVersion: 'batch/v1', kind: 'CronJob', name, uid, controller: true };
    await cluster.api.post(`${path}/jobs`, {
      metadata: { name: `${name}-now`, ownerReferences: [owner] },
      spec: spec.jobTemplate.spec,
    });
  }
  const ended = await waitUntil(
    async () => {
      const jobs = (await installation.workloads.jobs()).filter(({ metadata }) =>
        wanted.includes(metadata.name),
      );
      const isOver =
        jobs.length === wanted.length &&
        jobs.every(({ status }) => (status.succeeded ?? 0) + (status.failed ?? 0) > 0);
      return isOver ? jobs : undefined;
    },
    { withinMs: WITHIN_S * 1_000, everyMs: 500 },
  );
  const failed = (ended ?? []).filter(({ status }) => !status.succeeded).map(({ metadata }) => metadata.name);
  if (!ended || failed.length > 0 || wanted.length === 0)
    throw new Error(`audit logs that were not verified: ${(ended ? failed : wanted).join(', ') || 'all'}`);
  return { 'audit logs found whole': wanted.length };
}

interface CronJob {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly spec: { readonly jobTemplate: { readonly spec: unknown } };
}

async function edges({ cluster }: Scene): Promise<Facts> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${NAMESPACE}/networkpolicies`;
  const { items } = await cluster.api.get<{ items: NetworkPolicy[] }>(path);
  const seen = cluster.node.connections();
  const wrong = forbidden(seen, items);
  if (wrong.length > 0) throw new Error(wrong.join('\n  '));
  const between = new Set(
    seen.flatMap(({ from, to }) =>
      from ? [`${componentOf(from)} ${componentOf(to)}:${to.targetPort}`] : [],
    ),
  );
  if (between.size < 10) throw new Error(`only ${between.size} edges were seen`);
  // The node's proxy goes on to the next endpoint, which not every cluster's does.
  const refused = seen.filter((one) => one.refused).map(({ to, refused }) => `${to.service} ${refused}`);
  if (refused.length > 0) throw new Error(`endpoints refused connections: ${refused.join(', ')}`);
  return { policies: items.length, 'edges seen': between.size, 'connections refused by pods': 0 };
}

const componentOf = ({ labels }: { readonly labels: Readonly<Record<string, string>> }) =>
  labels['app.kubernetes.io/component'] ?? '';

async function uninstall({ cluster, installation }: Scene): Promise<Facts> {
  await installation.release.uninstall(WITHIN_S);
  const until = Date.now() + WITHIN_S * 1_000;
  let left: readonly string[];
  do {
    // Pods go in their own time, and claims once no pod has them.
    await new Promise((resolve) => setTimeout(resolve, 500));
    left = await objectsIn(cluster.api, NAMESPACE);
  } while (left.length > 0 && Date.now() < until);
  if (left.length > 0) throw new Error(`left behind: ${left.join(', ')}`);
  return { 'objects left': 0 };
}

async function under(scene: Scene, perSecond: number, work: () => Promise<Facts>) {
  const order: LoadOrder = {
    origin: scene.installation.api,
    credential: supplierOf(scene).credential,
    perSecond,
    keptAlive: KEPT_ALIVE,
  };
  const { facts, report } = await scene.load.during(order, work);
  scene.created.push(...report.created);
  return { facts, latencies: report.latencies };
}

/**
 * The wanted rate or a half, quarter, … of it: the largest of which a machine gives eight times as much for some seconds,
 * all answered and nearly all of them soon. While pods are replaced most of the CPU is for those that start, and a machine
 * that is full fails requests whoever is replaced.
 */
async function sustainable(scene: Scene, wanted: number): Promise<number> {
  let given: number | undefined;
  // From the least on: what is too much leaves a backlog behind.
  for (const rate of halvesOf(wanted)) {
    try {
      const { latencies } = await under(scene, rate * HEADROOM, async () => ({}));
      if (percentile(latencies, 0.99) > SOON_MS) break;
      given = rate;
    } catch {
      break;
    }
  }
  if (given !== undefined) return given;
  const least = LEAST_PER_SECOND * HEADROOM;
  throw new Error(`not even ${least} creates a second are answered within ${SOON_MS} ms`);
}

/** The smallest first. */
function halvesOf(wanted: number): number[] {
  const rates: number[] = [];
  for (let rate = wanted; rate >= LEAST_PER_SECOND; rate = Math.floor(rate / 2)) rates.unshift(rate);
  return rates;
}

function supplierOf({ supplier }: Scene): Supplier {
  if (!supplier) throw new Error('there is no supplier yet');
  return supplier;
}

async function counts({ workloads, release }: Installation): Promise<Facts> {
  const [deployments, pods, jobs, history] = await Promise.all([
    workloads.deployments(),
    workloads.pods(),
    workloads.jobs(),
    release.history(),
  ]);
  const restarts = pods.flatMap(({ status }) =>
    [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map(
      (one) => one.restartCount,
    ),
  );
  return {
    revision: history.at(-1)?.revision ?? 0,
    Deployments: deployments.length,
    'pods running': pods.filter(({ status }) => status.phase === 'Running').length,
    'migrations done': jobs.filter(({ status }) => status.succeeded).length,
    'restarts of containers': restarts.reduce((sum, count) => sum + count, 0),
  };
}
