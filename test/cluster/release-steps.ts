import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ApiClient } from '../../deploy/cluster/api-client.ts';
import type { Cluster } from '../../deploy/cluster/cluster.ts';
import { TAGS } from '../../deploy/cluster/images/node-images.ts';
import { waitUntil } from '../../deploy/local/wait-until.ts';
import { type Installation, NAMESPACE } from './installation.ts';
import { onLocalhost } from './on-localhost.ts';
import { commandOf, commandsIn, scriptOf } from './pages.ts';
import type { Facts } from './progress.ts';

const WITHIN_S = 240;
const WITHIN_MS = WITHIN_S * 1_000;
/** The timeout of an upgrade whose migration fails. */
const FAILING_S = 40;
/** The values that an upgrade changes, so that every pod is replaced. */
export const CHANGED = { streams: { maxAgeDays: 6 } };

/** Runs the commands of docs/install.md for kind, and `sss` as npm installs it; then uninstalls. */
export async function tryOut({ shell, api, folder }: Cluster, sss: string): Promise<Facts> {
  await shell(scriptOf('install.md', 'kubectl create namespace leads'));
  const [submission, guides] = await onLocalhost(await portsOfKind(api, folder), async () => [
    await shell(scriptOf('install.md', 'ACCOUNT=')),
    await shell('curl -sS --fail http://localhost:8081/guides/'),
  ]);
  const version = await shell(`${sss} --version`);
  const accounts = await shell(
    `${commandOf('install.md', 'export SSS_CONFIG_DIR=')}; ${sss} accounts list -o name`,
  );
  await shell('helm uninstall leads -n leads --wait && kubectl delete namespace leads');
  const { status, submission_id } = JSON.parse(submission.slice(submission.indexOf('{'))) as Record<
    string,
    string
  >;
  if (status !== 'accepted') throw new Error(`the request in install.md returned ${submission}`);
  if (!guides.includes('http://localhost:8080'))
    throw new Error('the guides do not mention the API on localhost');
  if (accounts.trim().split('\n').length !== 1) throw new Error(`${version} lists ${accounts}`);
  return { 'its first lead': submission_id ?? '', 'listed by': version.trim() };
}

/** Returns the ports that kind would forward to localhost. */
async function portsOfKind(api: ApiClient, folder: string) {
  const { items } = await api.get<{
    items: { status: { addresses: { type: string; address: string }[] } }[];
  }>('/api/v1/nodes');
  const host = items[0]?.status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  const kind = parse(readFileSync(join(folder, 'charts/examples/kind.yaml'), 'utf8')) as KindCluster;
  const mappings = kind.nodes.flatMap(({ extraPortMappings }) => extraPortMappings);
  return Object.fromEntries(
    mappings.map(({ hostPort, containerPort }) => [hostPort, { host, port: containerPort }]),
  );
}

interface KindCluster {
  readonly nodes: readonly {
    readonly extraPortMappings: readonly { readonly hostPort: number; readonly containerPort: number }[];
  }[];
}

export async function install(installation: Installation): Promise<void> {
  const { release, workloads, values } = installation;
  await release.apply('install', values(), WITHIN_S);
  await workloads.settled(WITHIN_MS);
}

/** Deletes the Jobs that Helm no longer tracks after a failed upgrade, as docs/upgrading.md describes. */
export async function forgottenJobs({ shell }: Cluster): Promise<void> {
  const [command = ''] = commandsIn('upgrading.md', 'kubectl delete job');
  await shell(`${command} -n ${NAMESPACE}`);
}

export async function upgrade(
  installation: Installation,
  set: Readonly<Record<string, unknown>>,
): Promise<void> {
  const { release, workloads, values } = installation;
  await release.apply('upgrade', values(set), WITHIN_S);
  await workloads.settled(WITHIN_MS);
}

/** Restarts all Deployments except the throw-away stores, which lose their data with their pods. */
export async function restart({ shell }: Cluster, installation: Installation): Promise<void> {
  await shell(`
    kubectl get deployments --namespace ${NAMESPACE} --output name | grep -v -- -throw-away- |
      xargs kubectl rollout restart --namespace ${NAMESPACE}`);
  await installation.workloads.settled(WITHIN_MS);
}

/** Rolls back to the previous revision. */
export async function rollback(installation: Installation): Promise<void> {
  const { release, workloads } = installation;
  await release.rollback();
  await workloads.settled(WITHIN_MS);
}

/**
 * Upgrades to a version with a failing migration. Rejects unless Helm reports the failure, and only that migration
 * failed.
 */
export async function brokenUpgrade({ release, workloads, values }: Installation): Promise<void> {
  const passed = await release
    .apply('upgrade', values({ ...CHANGED, image: { tag: TAGS.broken } }), FAILING_S)
    .then(
      () => true,
      () => false,
    );
  if (passed) throw new Error('the upgrade succeeded');
  const failed = (await workloads.jobs()).filter(({ status }) => (status.failed ?? 0) > 0);
  if (failed.length !== 1 || !failed[0]?.metadata.name.includes('-migrate-submission-'))
    throw new Error(`failed migrations: ${failed.map(({ metadata }) => metadata.name).join(', ') || 'none'}`);
}

/** Runs every CronJob once and waits until its Job has succeeded. */
export async function verifyAudits({ shell }: Cluster): Promise<void> {
  await shell(`
    for job in $(kubectl get cronjobs --namespace ${NAMESPACE} --output name | cut -d/ -f2); do
      kubectl create job --namespace ${NAMESPACE} "$job-now" --from="cronjob/$job" >&2
      kubectl wait --namespace ${NAMESPACE} "job/$job-now" --for=condition=Complete --timeout=${WITHIN_S}s
    done`);
}

export async function uninstall(cluster: Cluster, { release }: Installation): Promise<void> {
  await release.uninstall(WITHIN_S);
  let left: readonly string[] = [];
  // Pods take time to end, and volume claims are removed once no pod uses them.
  const gone = await waitUntil(
    async () => {
      left = (await objectsIn(cluster, NAMESPACE)).filter(
        (name) => !/\/trial-(?:client|authority)$/.test(name),
      );
      return left.length === 0 || undefined;
    },
    { withinMs: WITHIN_MS, everyMs: 500 },
  );
  if (!gone) throw new Error(`left behind: ${left.join(', ')}`);
}

/** Returns every object of a namespace as `kind/name`, except events and the objects that every namespace has. */
async function objectsIn({ shell }: Cluster, namespace: string): Promise<string[]> {
  const names = await shell(`
    kinds=$(kubectl api-resources --verbs=list --namespaced --output name | grep -v '^events' | paste -sd,)
    kubectl get "$kinds" --namespace ${namespace} --output name --ignore-not-found`);
  const own = ['serviceaccount/default', 'configmap/kube-root-ca.crt'];
  return names.split('\n').filter((name) => name !== '' && !own.includes(name));
}
