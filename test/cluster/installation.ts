import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificates } from '../../deploy/local/identity/make-certificates.ts';
import { issuersFile, openTokenIssuer, staffIssuersOf } from '../../deploy/local/identity/token-issuer.ts';
import { loginAt } from '../../deploy/local/login/login.ts';
import type { Cluster } from './cluster.ts';
import { consoleValues, LOGIN, TRUSTS_OUTSIDE } from './console.ts';
import { serveOutside } from './outside.ts';
import { commandOf } from './pages.ts';
import { workloadsOf } from './workloads.ts';

type Values = Readonly<Record<string, unknown>>;

/** How long a change of the release may take. */
export const WITHIN_S = 240;
/** The namespace and release names of docs/install.md. */
export const NAMESPACE = 'suppliers';
/** The labels of the pod that calls as staff and suppliers do, if the client is a pod. */
export const CLIENT_LABELS = { app: 'trial-client' };
/** The seccomp profile that a node of ours has, by its path in the kubelet's folder. */
export const CONTENT_PROFILE = 'sss-content.json';
/** The API group of the Prometheus operator, and its kinds that the chart uses. */
export const GROUP = 'monitoring.coreos.com';
export const KINDS = { ServiceMonitor: 'servicemonitors', PrometheusRule: 'prometheusrules' } as const;

/** Values that make the chart create Prometheus operator objects. The kinds must exist. */
const MONITORED = {
  monitoring: { serviceMonitor: { enabled: true, interval: '5s' }, rules: { enabled: true } },
};

/** The chart, installed with the values for kind. */
export type Installation = Awaited<ReturnType<typeof prepareInstallation>>;

/** Returns the name of a process's objects. */
export const nameOf = (process: string) => `leads-supplier-submissions-${process}`;
/** Returns the host name of a process's Service. */
export const hostOf = (process: string) => `${nameOf(process)}.${NAMESPACE}.svc`;

/** Creates the namespace, which admits only restricted pods, and everything that an install requires. */
export async function prepareInstallation(
  cluster: Cluster,
  folder: string,
  images: Values,
  /** Certificates of the console's identity provider, if there is one. */
  login: Certificates | undefined,
) {
  const { api, node, shell } = cluster;
  // Other clusters may or may not have the operator.
  if (node) await createMonitoringKinds(cluster);
  await api.post('/api/v1/namespaces', {
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  const identity = join(folder, 'identity');
  const issuer = await openTokenIssuer(identity);
  if (login) await serveOutside('login', login, loginAt(LOGIN, issuer));
  const console = login && (await consoleValues(api, NAMESPACE, login));
  const base = {
    ...images,
    ...(node ? { ...MONITORED, content: { seccompProfile: CONTENT_PROFILE } } : {}),
    // Two replicas, so that one can be replaced while the other serves.
    defaults: { replicas: 2 },
    serviceTokens: { jwks: await api.get('/openid/v1/jwks') },
    staffIssuers: staffIssuersOf(readFileSync(issuersFile(identity), 'utf8')),
    // All of the load comes from one address.
    processes: {
      gateway: { settings: { addressPerMinute: 10_000_000 } },
      ...(console && { console: TRUSTS_OUTSIDE }),
    },
    ...(console && { console }),
    // Longer than any step waits, and short enough to clean up after a failed upgrade.
    migrations: { backoffLimit: 0, ttlSecondsAfterFinished: 300 },
    networkPolicies: { from: { staff: [{ podSelector: { matchLabels: CLIENT_LABELS } }] } },
  };
  const workloads = workloadsOf(api, NAMESPACE);
  /** Applies values on top of those for kind, and resolves when Helm reports success. */
  const apply = async (action: 'install' | 'upgrade', set: Values = {}, withinSeconds = WITHIN_S) => {
    const values = JSON.stringify({ ...base, ...set });
    writeFileSync(join(cluster.folder, 'production.yaml'), values, { mode: 0o600 });
    const command = commandOf('install.md', `helm ${action} leads charts/supplier-submissions -n`);
    const forKind = '-f charts/supplier-submissions/values-kind.yaml -f production.yaml';
    await shell(command.replace('-f production.yaml', forKind).replace('15m', `${withinSeconds}s`));
  };
  /** Waits until everything is ready after a change. */
  const settled = async (change: Promise<unknown>) => {
    await change;
    await workloads.settled();
  };
  return {
    workloads,
    apply,
    install: () => settled(apply('install')),
    upgrade: (set: Values) => settled(apply('upgrade', set)),
    /** Rolls back to the previous revision. */
    rollback: () => settled(shell(commandOf('install.md', 'helm rollback leads'))),
    /** Restarts all Deployments except the throw-away stores, which lose their data with their pods. */
    restart: () =>
      settled(
        shell(`
          kubectl get deployments --namespace ${NAMESPACE} --output name | grep -v -- -throw-away- |
            xargs kubectl rollout restart --namespace ${NAMESPACE}`),
      ),
    /** Returns the client's settings, except for the webhook receiver. Services must exist. */
    async known() {
      const { data } = await api.get<{ data: Record<string, string> }>(
        `/api/v1/namespaces/${NAMESPACE}/secrets/${nameOf('account')}-tls`,
      );
      const url = (service: string) => `https://${hostOf(service)}:8443`;
      return {
        api: `http://${hostOf('gateway-sandbox')}`,
        uploads: `http://${hostOf('document')}:8082`,
        staff: {
          urls: { account: url('account'), submission: url('submission'), webhook: url('webhook') },
          token: await issuer.staffToken(),
          tls: data,
        },
      };
    },
  };
}

/** Creates the operator's two kinds, with the most permissive schema. */
async function createMonitoringKinds({ api }: Cluster): Promise<void> {
  for (const [kind, plural] of Object.entries(KINDS))
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
      metadata: { name: `${plural}.${GROUP}` },
      spec: {
        group: GROUP,
        scope: 'Namespaced',
        names: { kind, plural, singular: kind.toLowerCase() },
        versions: [
          {
            ...{ name: 'v1', served: true, storage: true },
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
}
