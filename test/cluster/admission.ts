import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from './cluster.ts';
import { eventually } from './eventually.ts';
import type { Facts } from './progress.ts';
import { workloadsOf } from './workloads.ts';

const PODS_MS = 60_000;
const CHART = 'charts/supplier-submissions';
const tls = { mode: 'secrets' };

/** The chart's production installs, as far as a bare cluster has the required kinds, by namespace. */
const INSTALLS: Readonly<Record<string, unknown>> = {
  production: {
    tls,
    defaults: { autoscaling: { enabled: true } },
    console: {
      enabled: true,
      url: 'https://console.example',
      oidc: { issuer: 'https://login.example', clientId: 'console', roleClaim: 'groups' },
    },
  },
  'production-migrated-by-hand': { tls, migrations: { mode: 'none' } },
};

/**
 * Installs the production values, whose pods can't run here. Rejects unless each object is accepted and each pod is
 * admitted under the restricted standard.
 */
export async function admitted(cluster: Cluster): Promise<Facts> {
  let pods = 0;
  for (const [namespace, set] of Object.entries(INSTALLS)) pods += await installed(cluster, namespace, set);
  const privileged = {
    metadata: { name: 'privileged' },
    spec: { containers: [{ name: 'a', image: 'a', securityContext: { privileged: true } }] },
  };
  const refused = await cluster.api.request('POST', '/api/v1/namespaces/production/pods', privileged);
  if (refused.status !== 403 || !refused.text.includes('PodSecurity'))
    throw new Error(`a privileged pod returned ${refused.status} ${refused.text}`);
  await cluster.kubectl('delete', 'namespace', ...Object.keys(INSTALLS), '--wait=false');
  return { installs: Object.keys(INSTALLS).length, 'pods made': pods };
}

async function installed({ api, folder, shell }: Cluster, namespace: string, set: unknown): Promise<number> {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await api.post('/api/v1/namespaces', { metadata: { name: namespace, labels } });
  const values = `${namespace}.yaml`;
  writeFileSync(join(folder, values), JSON.stringify(set));
  await shell(`helm install leads ${CHART} -n ${namespace} -f ${CHART}/values-production.yaml -f ${values}`);
  const workloads = workloadsOf(api, namespace);
  const [deployments, jobs] = [await workloads.deployments(), await workloads.jobs()];
  const wanted = deployments.reduce((sum, { spec }) => sum + spec.replicas, jobs.length);
  if (deployments.length < 7) throw new Error(`${namespace}: only ${deployments.length} Deployments`);
  const failures = () => shell(`kubectl get events -n ${namespace} --field-selector reason=FailedCreate`);
  await eventually(PODS_MS, async () => {
    const made = (await workloads.pods()).length;
    if (made < wanted) throw new Error(`${namespace}: ${made} of ${wanted} pods\n${await failures()}`);
  });
  const failed = await failures();
  if (failed.trim() !== '')
    throw new Error(`${namespace}: the first attempts to create pods failed\n${failed}`);
  await shell(`helm uninstall leads -n ${namespace}`);
  return wanted;
}
