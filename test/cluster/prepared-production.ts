import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { OWN_PLATFORM } from '../../deploy/images/engine.ts';
import type { Certificates } from '../../deploy/local/identity/make-certificates.ts';
import type { PushedChart } from '../../deploy/release/chart.ts';
import { startRegistry } from '../../deploy/release/testing/registry-process.ts';
import type { Cluster } from './cluster.ts';
import { TRUSTS_OUTSIDE } from './console.ts';
import { hostOf, NAMESPACE } from './installation.ts';
import { onLocalhost } from './on-localhost.ts';
import { OUTSIDE, serveOutside } from './outside.ts';
import { commandOf, scriptOf } from './pages.ts';
import type { Facts } from './progress.ts';

const PAGE = 'install.md';
/** The namespace of PostgreSQL, NATS and clamd, which aren't part of the release. */
const STORES = 'stores';
const storeName = (store: string) => `stores-supplier-submissions-throw-away-${store}`;
const storeHost = (store: string) => `${storeName(store)}.${STORES}.svc`;
const WAITS = '600s';

/** The artefacts of a release, created from the checkout with its own steps, and the registry's data. */
export type PublishedRelease = Awaited<ReturnType<typeof publish>>;

/** Pushes images and chart to a registry in `folder`, with the commands of docs/releasing.md. Rejects when one fails. */
export async function publish(checkout: string, folder: string) {
  mkdirSync(folder);
  const registry = await startRegistry({ folder });
  try {
    const out = join(folder, 'release');
    const flags = ['--registry', registry.host, '--plain-http', '--trial', '--out', out];
    const step = (...args: string[]) =>
      execFileSync('npm', ['run', '--silent', 'release', '--', ...args, ...flags], {
        cwd: checkout,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    step('push', '--debootstrap', '--platform', OWN_PLATFORM);
    step('chart');
    const chart = JSON.parse(readFileSync(join(out, 'chart.json'), 'utf8')) as PushedChart;
    // From these the registry is started again beside the node.
    return { registry: { folder, port: Number(registry.host.split(':')[1]) }, chart };
  } finally {
    await registry.stop();
  }
}

/**
 * Runs the commands of docs/install.md for production: separate stores with the output of `prepare:install`, the chart
 * from a registry with the production values, images by digest; then an account, a credential and a submission. Uninstalls
 * all of it.
 */
export async function installPrepared(
  cluster: Cluster,
  { registry, chart }: PublishedRelease,
  store: Certificates,
): Promise<Facts> {
  const { shell, folder } = cluster;
  const { host, stop } = await startRegistry(registry);
  try {
    const from = `oci://${chart.chart} --version ${chart.version} --plain-http`;
    // Of what the chart generates for throw-away stores, only names and certificates are used.
    await shell(`
      helm pull ${from} --untar --untardir published
      kubectl create namespace ${STORES}
      ${rendered('secrets')} | kubectl apply --namespace ${STORES} --filename -
      kubectl get secret ${storeName('postgresql')}-tls --namespace ${STORES} \
        --output 'go-template={{index .data "ca.crt" | base64decode}}' > ca.crt`);
    await startBuckets(store);
    await shell(`
      echo '{ "accessKeyId": "trial", "secretAccessKey": "trial" }' > s3.json
      ${commandOf(PAGE, 'npm run prepare:install -- write')} --certificates --postgresql-ca ca.crt --nats-ca ca.crt \\
        --quarantine-credentials s3.json --clean-credentials s3.json`);
    await startStores(cluster);
    const psql = commandOf(PAGE, 'psql --host');
    await shell(`
      ${psql.replace('--host … --username …', `"${await administrator(cluster)}"`)} --output psql.log
      ${commandOf(PAGE, 'kubectl apply --namespace suppliers')}`);
    writeFileSync(join(folder, 'production.yaml'), JSON.stringify(await ownValues(cluster, host)));
    const install = commandOf(PAGE, 'helm install leads charts/supplier-submissions -n')
      .replace('charts/supplier-submissions', from)
      .replace(
        '-f production.yaml',
        '-f published/supplier-submissions/values-production.yaml -f production.yaml -f .run/trial/values.json -f prepared/values.yaml',
      )
      .replace('15m', WAITS);
    await shell(install);
    const tested = await shell(`helm test leads --namespace ${NAMESPACE} 2>&1`);
    if (!tested.includes('asks for a credential')) throw new Error(`helm test printed ${tested}`);
    const images = await imagesByDigest(cluster, host);
    const submission = await firstSubmission(cluster);
    await shell(`helm uninstall leads -n ${NAMESPACE} --wait && kubectl delete namespace ${STORES}`);
    return {
      chart: `${chart.chart}:${chart.version}`,
      'images pulled by digest': images,
      'its first lead': submission,
    };
  } finally {
    await stop();
  }
}

/** Starts the stores without roles or databases, and with the prepared users. */
async function startStores({ shell, folder }: Cluster): Promise<void> {
  const users = readFileSync(join(folder, 'prepared/nats-users.conf'), 'utf8');
  const patches = { postgresql: { 'roles.sql': 'SELECT 1;' }, nats: { 'users.conf': users } };
  for (const [store, stringData] of Object.entries(patches)) {
    writeFileSync(join(folder, 'patch.json'), JSON.stringify({ stringData }), { mode: 0o600 });
    await shell(
      `kubectl patch secret ${storeName(store)} --namespace ${STORES} --patch-file patch.json && rm patch.json`,
    );
  }
  await shell(`
    ${rendered('postgresql', 'nats', 'clamd')} | kubectl apply --namespace ${STORES} --filename -
    kubectl wait deployment --all --for condition=Available --namespace ${STORES} --timeout ${WAITS}`);
}

/** Starts an S3 server outside the cluster. It only reports that its buckets encrypt, as the services require. */
async function startBuckets(store: Certificates): Promise<void> {
  const rule = '<ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>';
  const encryption = `<ServerSideEncryptionConfiguration><Rule>${rule}</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>`;
  await serveOutside('store', store, ({ url = '' }, response) =>
    url.includes('encryption') ? response.end(encryption) : response.writeHead(404).end(),
  );
}

const rendered = (...parts: string[]) =>
  [
    `helm template stores published/supplier-submissions --namespace ${STORES}`,
    ...parts.map((part) => `--show-only templates/throw-away/${part}.yaml`),
    '--values published/supplier-submissions/values-kind.yaml',
    '--set-json "serviceTokens.jwks=$(kubectl get --raw /openid/v1/jwks)"',
  ].join(' ');

/** Returns psql's connection settings for the administrator, including verification of the server's certificate. */
async function administrator({ api }: Cluster): Promise<string> {
  const path = (kind: string) => `/api/v1/namespaces/${STORES}/${kind}/${storeName('postgresql')}`;
  const { spec } = await api.get<{ spec: { clusterIP: string } }>(path('services'));
  const { data } = await api.get<{ data: { superuser: string } }>(path('secrets'));
  const password = Buffer.from(data.superuser, 'base64').toString('utf8');
  const server = `host=${storeHost('postgresql')} hostaddr=${spec.clusterIP} sslmode=verify-full sslrootcert=ca.crt`;
  return `${server} user=postgres password=${password} dbname=postgres`;
}

/** Returns a cluster's own values on top of the production ones: one node with its stores, and S3 outside. */
async function ownValues({ api }: Cluster, registry: string): Promise<object> {
  const { issuer } = await api.get<{ issuer: string }>('/.well-known/openid-configuration');
  const stores = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': STORES } } }];
  return {
    image: { registry, pullSecrets: [] },
    defaults: { replicas: 1 },
    processes: {
      gateway: { autoscaling: { enabled: false } },
      document: TRUSTS_OUTSIDE,
      scanner: TRUSTS_OUTSIDE,
    },
    streams: { replicas: 1 },
    databases: { host: storeHost('postgresql') },
    nats: { url: `tls://${storeHost('nats')}:4222` },
    clamd: { address: `tcp://${storeHost('clamd')}:3310` },
    serviceTokens: { issuer, jwksUri: '', jwks: await api.get('/openid/v1/jwks') },
    documents: { s3: { endpoint: `https://${OUTSIDE.store.host}` } },
    console: {
      enabled: true,
      url: 'https://console.leads.example',
      oidc: { issuer: 'https://login.example', clientId: 'console' },
    },
    networkPolicies: {
      to: {
        postgresql: stores,
        nats: stores,
        clamd: stores,
        s3: [{ ipBlock: { cidr: `${OUTSIDE.store.address}/32` } }],
      },
    },
  };
}

/** Returns how many of our images run; rejects when one is not from the registry, or not referenced by digest. */
async function imagesByDigest({ shell }: Cluster, registry: string): Promise<number> {
  const images = await shell(
    `kubectl get pods -n ${NAMESPACE} -o jsonpath='{range .items[*].spec.containers[*]}{.image}{"\\n"}{end}'`,
  );
  const ours = new Set(images.split('\n').filter((image) => image.includes('supplier-submissions')));
  const foreign = [...ours].filter(
    (image) => !(image.startsWith(`${registry}/`) && image.includes('@sha256:')),
  );
  if (ours.size === 0 || foreign.length > 0)
    throw new Error(`images that are not the registry's, by digest: ${foreign.join(', ') || 'no image is'}`);
  return ours.size;
}

/** Sends the page's first submission for kind to this release, with the prepared certificate. Returns its id. */
async function firstSubmission({ shell }: Cluster): Promise<string> {
  const script = scriptOf(PAGE, 'ACCOUNT=')
    .replaceAll('--namespace leads', `--namespace ${NAMESPACE}`)
    .replaceAll('/leads"', `/${NAMESPACE}"`)
    .replaceAll('-account-tls', '-account');
  const answer = await onLocalhost({ 8080: { host: hostOf('gateway-sandbox'), port: 80 } }, () =>
    shell(`rm -rf .run/trial/sss\n${script}`),
  );
  const { status, submission_id } = JSON.parse(answer.slice(answer.indexOf('{'))) as Record<string, string>;
  if (status !== 'accepted' || !submission_id) throw new Error(`the first lead returned ${answer}`);
  return submission_id;
}
