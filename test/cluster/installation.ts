import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Cluster } from '../../deploy/cluster/cluster.ts';
import type { Certificates } from '../../deploy/local/identity/make-certificates.ts';
import { issuersFile, openTokenIssuer, staffIssuersOf } from '../../deploy/local/identity/token-issuer.ts';
import type { Beginning } from './client/client.ts';
import { consoleValues, startLogin } from './console.ts';
import { MONITORED, monitoringKinds } from './monitoring-kinds.ts';
import { commandOf } from './pages.ts';
import { type Workloads, workloadsOf } from './workloads.ts';

type Values = Readonly<Record<string, unknown>>;

/** The namespace and release names of docs/install.md. */
export const NAMESPACE = 'suppliers';
const FULL_NAME = 'leads-supplier-submissions';
/** The labels of the pod that calls as staff and suppliers do, if the client is a pod. */
export const CLIENT_LABELS = { app: 'trial-client' };

/** The chart, installed with the values for kind. */
export interface Installation {
  readonly release: ReturnType<typeof releaseOf>;
  readonly workloads: Workloads;
  /** Returns the values added to those for kind, with `set` on top. */
  values(set?: Values): Values;
  /** Returns the client's settings, except for the webhook receiver. Services must exist. */
  known(): Promise<Omit<Beginning, 'receiver'>>;
}

/** Returns the host name of a process's Service. */
export const hostOf = (process: string) => `${FULL_NAME}-${process}.${NAMESPACE}.svc`;
/** Returns the name of a process's objects. */
export const nameOf = (process: string) => `${FULL_NAME}-${process}`;

/** Creates the namespace, which admits only restricted pods, and everything that an install requires. */
export async function prepareInstallation(
  cluster: Cluster,
  folder: string,
  images: Values,
  /** Certificates of the console's identity provider, if there is one. */
  login: Certificates | undefined,
): Promise<Installation> {
  const { api, node } = cluster;
  // Other clusters may or may not have the operator.
  if (node) await monitoringKinds(cluster);
  await api.post('/api/v1/namespaces', {
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  const identity = join(folder, 'identity');
  const issuer = await openTokenIssuer(identity);
  if (login) await startLogin(issuer, login);
  const staffed = login && (await consoleValues(api, NAMESPACE, login));
  const base = {
    ...images,
    ...(node ? MONITORED : {}),
    // Two replicas, so that one can be replaced while the other serves.
    defaults: { replicas: 2 },
    serviceTokens: { jwks: await api.get('/openid/v1/jwks') },
    staffIssuers: staffIssuersOf(readFileSync(issuersFile(identity), 'utf8')),
    // All of the load comes from one address.
    processes: {
      gateway: { settings: { addressPerMinute: 10_000_000 } },
      ...(staffed ? { console: staffed.process } : {}),
    },
    ...(staffed ? { console: staffed.console } : {}),
    // Longer than any step waits, and short enough to clean up after a failed upgrade.
    migrations: { backoffLimit: 0, ttlSecondsAfterFinished: 300 },
    networkPolicies: { from: { staff: [{ podSelector: { matchLabels: CLIENT_LABELS } }] } },
  };
  return {
    release: releaseOf(cluster),
    workloads: workloadsOf(api, NAMESPACE),
    values: (set = {}) => ({ ...base, ...set }),
    async known() {
      const { data } = await api.get<{ data: Record<string, string> }>(
        `/api/v1/namespaces/${NAMESPACE}/secrets/${nameOf('account')}-tls`,
      );
      const pem = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
      const url = (service: string) => `https://${hostOf(service)}:8443`;
      return {
        api: `http://${hostOf('gateway-sandbox')}`,
        uploads: `http://${hostOf('document')}:8082`,
        staff: {
          urls: { account: url('account'), submission: url('submission'), webhook: url('webhook') },
          token: await issuer.staffToken(),
          ...{ authority: pem('ca.crt'), certificate: pem('tls.crt'), key: pem('tls.key') },
        },
      };
    },
  };
}

/** Installs and changes the release with the commands of docs/install.md. */
function releaseOf({ shell, folder }: Cluster) {
  return {
    /** Applies values on top of those for kind; waits until everything is ready. */
    apply(action: 'install' | 'upgrade', set: Values, within: number): Promise<string> {
      writeFileSync(join(folder, 'production.yaml'), JSON.stringify(set), { mode: 0o600 });
      const command = commandOf('install.md', `helm ${action} leads charts/supplier-submissions -n`);
      return shell(
        command
          .replace('-f production.yaml', '-f charts/supplier-submissions/values-kind.yaml -f production.yaml')
          .replace('15m', `${within}s`),
      );
    },
    /** Rolls back to the previous revision. */
    rollback: () => shell(commandOf('install.md', 'helm rollback leads')),
    uninstall: (within: number) => shell(`helm uninstall leads -n suppliers --wait --timeout ${within}s`),
  };
}
