import { spawn } from 'node:child_process';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseQuery } from '../../charts/monitoring/promql.ts';
import { shippedQueries } from '../../charts/monitoring/queries.ts';
import { formatDuration } from '../../deploy/local/terminal.ts';
import type { Cluster } from './cluster.ts';
import { eventually, untilNone } from './eventually.ts';
import { GROUP, KINDS, NAMESPACE, nameOf } from './installation.ts';
import type { Facts } from './progress.ts';
import { workloadsOf } from './workloads.ts';

const ADDRESS = '127.0.0.1:9091';
const ANSWER_MS = 10_000;
const DATA_MS = 300_000;
/** The slowest alert has a five-minute condition before it fires. */
const FIRING_MS = 600_000;
const RESOLVED_MS = 300_000;
const POLL_MS = 1_000;
/** This series exists only for failing endpoints, and none fails here. */
const SELDOM = 'sss_webhook_endpoint_failed_attempts';
/** The alerts expected when NATS and the scanner are down. */
const ALERTS = ['SssNatsDisconnected', 'SssOutboxStuck', 'SssProcessMissing'];

interface Monitor {
  readonly spec: { readonly endpoints: readonly [Endpoint] };
}
interface Endpoint {
  readonly interval: string;
  readonly relabelings: readonly { readonly sourceLabels: readonly string[]; readonly targetLabel: string }[];
}

/**
 * Starts a Prometheus that follows the release's ServiceMonitor and PrometheusRule, and ends with the node. Rejects unless
 * it scrapes every pod of the release.
 */
export async function startPrometheus(cluster: Cluster, parent: string): Promise<Facts> {
  const folder = join(parent, 'prometheus');
  mkdirSync(folder);
  const objects = async <T>(plural: string) =>
    (await cluster.api.get<{ items: T[] }>(`/apis/${GROUP}/v1/namespaces/${NAMESPACE}/${plural}`)).items;
  const [monitor] = await objects<Monitor>(KINDS.ServiceMonitor);
  const [rules] = await objects<{ spec: unknown }>(KINDS.PrometheusRule);
  if (!monitor || !rules) throw new Error('the release has no ServiceMonitor or no PrometheusRule');
  // JSON, which is also YAML.
  const write = (name: string, content: unknown) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(content));
    return path;
  };
  // Debian's build has no Kubernetes discovery, so the targets are written to a file.
  const discover = async () => write('targets.json', await discovered(cluster));
  const targetsFile = await discover();
  setInterval(() => void discover().catch(() => undefined), POLL_MS).unref();
  const [endpoint] = monitor.spec.endpoints;
  const rulesFile = write('rules.yaml', rules.spec);
  const config = write('prometheus.yaml', configuration(endpoint, targetsFile, rulesFile));
  const storage = `--storage.tsdb.path=${folder}/data`;
  const args = [`--config.file=${config}`, storage, `--web.listen-address=${ADDRESS}`];
  const log = openSync(join(folder, 'log'), 'a');
  spawn('prometheus', args, { stdio: ['ignore', log, log] });
  return targets(cluster);
}

/** Returns the configuration that the operator would generate from the objects. */
const configuration = ({ interval, relabelings }: Endpoint, targets: string, rules: string) => ({
  global: { scrape_interval: interval, evaluation_interval: interval },
  rule_files: [rules],
  scrape_configs: [
    {
      job_name: 'release',
      file_sd_configs: [{ files: [targets] }],
      relabel_configs: relabelings.map(({ sourceLabels, targetLabel }) => ({
        source_labels: sourceLabels,
        target_label: targetLabel,
      })),
    },
  ],
});

interface Slice {
  /** Null for pods without such a port: the stores' pods. */
  readonly ports: readonly { port: number }[] | null;
  readonly endpoints: readonly { addresses: readonly [string]; targetRef: { name: string } }[] | null;
}

/** Returns the pods of the metrics Service, with the labels that an operator adds. */
async function discovered({ api }: Cluster): Promise<unknown[]> {
  const job = nameOf('metrics');
  const { items } = await api.get<{ items: readonly Slice[] }>(
    `/apis/discovery.k8s.io/v1/namespaces/${NAMESPACE}/endpointslices?labelSelector=kubernetes.io/service-name=${job}`,
  );
  const pods = await workloadsOf(api, NAMESPACE).pods();
  const labelsOf = new Map(pods.map(({ metadata: { name, labels = {} } }) => [name, metaLabels(labels)]));
  return items.flatMap(({ ports, endpoints }) =>
    (ports ?? []).flatMap(({ port }) =>
      (endpoints ?? []).map(({ addresses: [address], targetRef: { name: pod } }) => ({
        targets: [`${address}:${port}`],
        labels: { namespace: NAMESPACE, job, pod, ...labelsOf.get(pod) },
      })),
    ),
  );
}

const metaLabels = (labels: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(labels).map(([label, value]) => [
      `__meta_kubernetes_pod_label_${label.replaceAll(/[^a-z0-9]/gi, '_')}`,
      value,
    ]),
  );

async function targets({ kubectl }: Cluster): Promise<Facts> {
  const ours = ['--selector', 'app.kubernetes.io/component,!job-name', '--output', 'name'];
  const pods = (await kubectl('get', 'pods', '--namespace', NAMESPACE, ...ours)).trim().split('\n');
  const wanted = pods.filter((name) => !name.includes('-throw-away-')).length;
  await eventually(DATA_MS, async () => {
    const up = (await query('up == 1')).length;
    if (up !== wanted) throw new Error(`${up} of ${wanted} pods are scraped`);
  });
  return { 'pods scraped': wanted };
}

/** Rejects unless each shipped rule evaluates, and each shipped query has data. */
export async function answersAll(): Promise<Facts> {
  const queries = shippedQueries();
  await untilNone(DATA_MS, 'no data', async () => {
    const empty: string[] = [];
    for (const { where, expr } of queries) {
      if ((await query(inRelease(expr))).length > 0) continue;
      for (const metric of metricsOf(expr))
        if ((await query(metric)).length === 0) empty.push(`${where}: ${metric}`);
    }
    return empty;
  });
  const { groups } = await ask<{ groups: { rules: { health: string; lastError?: string }[] }[] }>('rules');
  const rules = groups.flatMap((group) => group.rules);
  const failing = rules.filter(({ health }) => health !== 'ok');
  if (failing.length > 0)
    throw new Error(`failing rules: ${failing.map(({ lastError }) => lastError).join('; ')}`);
  return { 'queries with data': queries.length, 'rules evaluated': rules.length };
}

/** Stops NATS and the scanner until their alerts fire, then starts them until the alerts resolve. */
export async function alertsFire({ shell }: Cluster): Promise<Facts> {
  const startedAt = performance.now();
  const after = () => formatDuration(performance.now() - startedAt);
  const stopped = `deployment ${nameOf('throw-away-nats')} ${nameOf('scanner')}`;
  const scale = (replicas: number) =>
    shell(`kubectl scale --namespace ${NAMESPACE} ${stopped} --replicas=${replicas}`);
  const firing = async () => {
    const now = await query(`ALERTS{alertstate="firing",alertname=~"${ALERTS.join('|')}"}`);
    return now.map(({ metric }) => metric.alertname ?? '');
  };
  await scale(0);
  await untilNone(FIRING_MS, 'not firing', async () => {
    const now = await firing();
    return ALERTS.filter((name) => !now.includes(name));
  });
  const fired = after();
  await scale(1);
  await untilNone(RESOLVED_MS, 'still firing', firing);
  return { fired: ALERTS.join(', '), 'all of them after': fired, 'none of them after': after() };
}

/** Returns the metrics that a query selects. Queries without a result in normal operation still need their input. */
const metricsOf = (expr: string) =>
  [...new Set(parseQuery(expr).selected.map(({ metric }) => metric))].filter((name) => name !== SELDOM);

const inRelease = (expr: string) =>
  expr
    .replaceAll('$namespace', NAMESPACE)
    .replaceAll('$job', nameOf('metrics'))
    .replaceAll('$__rate_interval', '1m');

const query = async (text: string) =>
  (await ask<{ result: { metric: Record<string, string> }[] }>(`query?query=${encodeURIComponent(text)}`))
    .result;

async function ask<T>(path: string): Promise<T> {
  const answer = await fetch(`http://${ADDRESS}/api/v1/${path}`, { signal: AbortSignal.timeout(ANSWER_MS) });
  if (!answer.ok)
    throw new Error(`Prometheus responded to ${path} with ${answer.status} ${await answer.text()}`);
  return ((await answer.json()) as { data: T }).data;
}
