import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificates } from '../../local/identity/make-certificates.ts';
import { issuersFile, openTokenIssuer } from '../../local/identity/token-issuer.ts';
import { type StaffClients, staffClients } from '../../local/seed/staff-clients.ts';
import type { Cluster } from '../cluster.ts';
import { helmRelease, type Release, type Values } from '../helm.ts';
import { type Workloads, workloadsOf } from './workloads.ts';

export const NAMESPACE = 'suppliers';
const RELEASE = 'leads';
const FULL_NAME = `${RELEASE}-supplier-submissions`;

/** The chart, as somebody installs it with the values for kind. */
export interface Installation {
  readonly chart: string;
  readonly release: Release;
  readonly workloads: Workloads;
  /** The values for kind, with `set` on top. */
  values(set?: Readonly<Record<string, unknown>>): Values;
  /** Where the sandbox's API is answered. */
  readonly api: string;
  /** RPC as staff. Services must be there. */
  staff(): Promise<StaffClients>;
}

/** Makes the namespace, which admits restricted pods alone, and all that an install needs to be told. */
export async function prepareInstallation(
  cluster: Cluster,
  options: { readonly checkout: string; readonly folder: string; readonly helm: string },
): Promise<Installation> {
  const { api, kubeconfig } = cluster;
  const { checkout, folder, helm } = options;
  await api.post('/api/v1/namespaces', {
    metadata: { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  const chart = join(checkout, 'charts/supplier-submissions');
  const home = join(folder, 'helm');
  const identity = join(folder, 'identity');
  const issuer = await openTokenIssuer(identity);
  const base = {
    serviceTokens: { jwks: await api.get('/openid/v1/jwks') },
    staffIssuers: staffIssuers(issuersFile(identity)),
    // All of the load comes from one address.
    processes: { gateway: { settings: { addressPerMinute: 10_000_000 } } },
    // Longer than any step waits, and short enough for what an upgrade that failed leaves behind.
    migrations: { backoffLimit: 0, ttlSecondsAfterFinished: 300 },
  };
  const host = (process: string) => `${FULL_NAME}-${process}.${NAMESPACE}.svc`;
  return {
    chart,
    release: helmRelease({ program: helm, kubeconfig, namespace: NAMESPACE, release: RELEASE, home }),
    workloads: workloadsOf(api, NAMESPACE),
    values: (set = {}) => ({ files: [join(chart, 'values-kind.yaml')], set: { ...base, ...set } }),
    api: `http://${host('gateway-sandbox')}`,
    async staff() {
      await cluster.knowServices(NAMESPACE);
      const files = await secretFiles(cluster, `${FULL_NAME}-account-tls`, join(folder, 'staff'));
      const token = await issuer.staffToken();
      const url = (service: string) => `https://${host(service)}:8443`;
      const urls = { account: url('account'), submission: url('submission'), webhook: url('webhook') };
      return staffClients(urls, () => token, files);
    },
  };
}

/** The issuer of staff tokens that the local stack makes, as the chart is told of it. */
function staffIssuers(file: string): unknown[] {
  const [{ services: _, ...issuer }] = JSON.parse(readFileSync(file, 'utf8')) as [Record<string, unknown>];
  return [issuer];
}

/** A certificate out of a Secret of the namespace, as files. */
async function secretFiles({ api }: Cluster, name: string, folder: string): Promise<Certificates> {
  const { data } = await api.get<{ data: Record<string, string> }>(
    `/api/v1/namespaces/${NAMESPACE}/secrets/${name}`,
  );
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (key: string) => {
    const file = join(folder, key);
    writeFileSync(file, Buffer.from(data[key] ?? '', 'base64'), { mode: 0o600 });
    return file;
  };
  return { authority: write('ca.crt'), certificate: write('tls.crt'), key: write('tls.key') };
}
