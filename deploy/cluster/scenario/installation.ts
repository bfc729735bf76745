import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { issuersFile, openTokenIssuer } from '../../local/identity/token-issuer.ts';
import type { Cluster } from '../cluster.ts';
import { helmRelease, type Release, type Values } from '../helm.ts';
import type { Beginning } from './client/client.ts';
import { type Workloads, workloadsOf } from './workloads.ts';

export const NAMESPACE = 'supplier-trial';
const RELEASE = 'leads';
const FULL_NAME = `${RELEASE}-supplier-submissions`;
/** The labels of the pod that calls as staff and suppliers do, where it is one. */
export const CLIENT_LABELS = { app: 'trial-client' };

export interface InstallationOptions {
  readonly checkout: string;
  readonly folder: string;
  /** Path of Helm. */
  readonly helm: string;
  /** What the values say of images. */
  readonly images: Readonly<Record<string, unknown>>;
}

/** The chart, as somebody installs it with the values for kind. */
export interface Installation {
  readonly chart: string;
  readonly release: Release;
  readonly workloads: Workloads;
  /** The values for kind, with `set` on top. */
  values(set?: Readonly<Record<string, unknown>>): Values;
  /** What a client has to know, but for where webhooks are received. Services must be there. */
  known(): Promise<Omit<Beginning, 'receiver'>>;
}

/** Name by which the Service of a process is reached. */
export const hostOf = (process: string) => `${FULL_NAME}-${process}.${NAMESPACE}.svc`;
/** Name of a process's objects. */
export const nameOf = (process: string) => `${FULL_NAME}-${process}`;

/** Makes the namespace, which admits restricted pods alone, and all that an install needs to be told. */
export async function prepareInstallation(
  { api, forHelm }: Cluster,
  { checkout, folder, helm, images }: InstallationOptions,
): Promise<Installation> {
  await api.post('/api/v1/namespaces', {
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  const chart = join(checkout, 'charts/supplier-submissions');
  const identity = join(folder, 'identity');
  const issuer = await openTokenIssuer(identity);
  const base = {
    ...images,
    serviceTokens: { jwks: await api.get('/openid/v1/jwks') },
    staffIssuers: staffIssuers(issuersFile(identity)),
    // All of the load comes from one address.
    processes: { gateway: { settings: { addressPerMinute: 10_000_000 } } },
    // Longer than any step waits, and short enough for what an upgrade that failed leaves behind.
    migrations: { backoffLimit: 0, ttlSecondsAfterFinished: 300 },
    networkPolicies: { from: { staff: [{ podSelector: { matchLabels: CLIENT_LABELS } }] } },
  };
  return {
    chart,
    release: helmRelease({
      ...{ program: helm, cluster: forHelm, namespace: NAMESPACE, release: RELEASE },
      home: join(folder, 'helm'),
    }),
    workloads: workloadsOf(api, NAMESPACE),
    values: (set = {}) => ({ files: [join(chart, 'values-kind.yaml')], set: { ...base, ...set } }),
    async known() {
      const { data } = await api.get<{ data: Record<string, string> }>(
        `/api/v1/namespaces/${NAMESPACE}/secrets/${nameOf('account')}-tls`,
      );
      const pem = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
      const url = (service: string) => `https://${hostOf(service)}:8443`;
      return {
        api: `http://${hostOf('gateway-sandbox')}`,
        staff: {
          urls: { account: url('account'), submission: url('submission'), webhook: url('webhook') },
          token: await issuer.staffToken(),
          ...{ authority: pem('ca.crt'), certificate: pem('tls.crt'), key: pem('tls.key') },
        },
      };
    },
  };
}

/** The issuer of staff tokens that the local stack makes, as the chart is told of it. */
function staffIssuers(file: string): unknown[] {
  const [{ services: _, ...issuer }] = JSON.parse(readFileSync(file, 'utf8')) as [Record<string, unknown>];
  return [issuer];
}
