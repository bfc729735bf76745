import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Cluster } from './cluster.ts';
import { untilNone } from './eventually.ts';
import { TAGS } from './images/node-images.ts';
import { type Installation, NAMESPACE, WITHIN_S } from './installation.ts';
import { onLocalhost } from './on-localhost.ts';
import { commandOf, commandsIn, scriptOf } from './pages.ts';
import type { Facts } from './progress.ts';

/** The timeout of an upgrade whose migration fails. */
const FAILING_S = 40;
/** The objects of every namespace, and this test's own. */
const NOT_OURS = /^serviceaccount\/default$|^configmap\/kube-root-ca\.crt$|\/trial-(?:client|authority)$/;
/** The values that an upgrade changes, so that every pod is replaced. */
export const CHANGED = { streams: { maxAgeDays: 6, eventRetentionDays: 8 } };

/** Runs the commands of docs/install.md for kind, and `sss` as npm installs it; then uninstalls. */
export async function tryOut(cluster: Cluster, sss: string): Promise<Facts> {
  const { shell } = cluster;
  await shell(scriptOf('install.md', 'kubectl create namespace leads'));
  const [submission, guides] = await onLocalhost(await portsOfKind(cluster), async () => [
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
async function portsOfKind({ api, folder }: Cluster) {
  const { items } = await api.get<{
    items: { status: { addresses: { type: string; address: string }[] } }[];
  }>('/api/v1/nodes');
  const host = items[0]?.status.addresses.find(({ type }) => type === 'InternalIP')?.address ?? '';
  const { nodes } = parse(readFileSync(join(folder, 'charts/examples/kind.yaml'), 'utf8')) as {
    nodes: { extraPortMappings: { hostPort: number; containerPort: number }[] }[];
  };
  const mappings = nodes.flatMap(({ extraPortMappings }) => extraPortMappings);
  return Object.fromEntries(
    mappings.map(({ hostPort, containerPort }) => [hostPort, { host, port: containerPort }]),
  );
}

/** Deletes the Jobs that Helm no longer tracks after a failed upgrade, as docs/upgrading.md describes. */
export async function forgottenJobs({ shell }: Cluster): Promise<void> {
  const [command = ''] = commandsIn('upgrading.md', 'kubectl delete job');
  await shell(`${command} -n ${NAMESPACE}`);
}

/**
 * Upgrades to a version with a failing migration. Rejects unless Helm reports the failure, and only that migration
 * failed.
 */
export async function brokenUpgrade({ workloads, apply }: Installation): Promise<void> {
  const set = { ...CHANGED, image: { tag: TAGS.broken } };
  const passed = await apply('upgrade', set, FAILING_S).then(
    () => true,
    () => false,
  );
  if (passed) throw new Error('Helm reported that the upgrade succeeded');
  const failed = (await workloads.jobs()).filter(
    ({ metadata, status }) => metadata.name.includes('-migrate-') && (status.failed ?? 0) > 0,
  );
  if (failed.length !== 1 || !failed[0]?.metadata.name.includes('-migrate-submission-'))
    throw new Error(`failed migrations: ${failed.map(({ metadata }) => metadata.name).join(', ') || 'none'}`);
}

/** Runs every CronJob once, of audits and of the streams, and waits until its Job has succeeded. */
export async function verifyAudits({ shell }: Cluster): Promise<void> {
  await shell(`
    for job in $(kubectl get cronjobs --namespace ${NAMESPACE} --output name | cut -d/ -f2); do
      kubectl create job --namespace ${NAMESPACE} "$job-now" --from="cronjob/$job" >&2
      kubectl wait --namespace ${NAMESPACE} "job/$job-now" --for=condition=Complete --timeout=${WITHIN_S}s
    done`);
}

export async function uninstall({ shell }: Cluster): Promise<void> {
  await shell(`helm uninstall leads -n ${NAMESPACE} --wait --timeout ${WITHIN_S}s`);
  // Pods take time to end, and volume claims are removed once no pod uses them.
  await untilNone(WITHIN_S * 1_000, 'left behind', async () => {
    const names = await shell(`
      kinds=$(kubectl api-resources --verbs=list --namespaced --output name | grep -v '^events' | paste -sd,)
      kubectl get "$kinds" --namespace ${NAMESPACE} --output name --ignore-not-found`);
    return names.split('\n').filter((name) => name !== '' && !NOT_OURS.test(name));
  });
}
