import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createClient } from '@connectrpc/connect';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { Certificates } from '../../../deploy/local/identity/make-certificates.ts';
import { choices } from '../../../deploy/local/sample-data/random.ts';
import { staffTransport } from '../../../deploy/local/seed/staff-clients.ts';
import { rpcUrl } from '../../../deploy/local/services/process-table.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import { callJetStream } from '../../harness/jetstream.ts';
import { databasesAt } from '../databases.ts';
import type { Findings } from '../findings.ts';
import type { Stage } from '../stage.ts';
import { type Infrastructure, prepareInfrastructure } from '../upgrade/infrastructure.ts';
import {
  type Asked,
  actAsStaff,
  eraseSome,
  openSuppliers,
  type Supplier,
  sendSubmissions,
} from './clients.ts';
import type { Evidence, StatementTotal } from './evidence.ts';
import { haunt, throughOutage } from './nemesis.ts';
import { readQueues, readStored } from './read-evidence.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { type Replicas, startReplicas } from './replicas.ts';
import { rules, violations } from './rules.ts';

const SENDERS = 6;
/** Longer than the third retry of a webhook that failed twice. */
const SETTLED_MS = 240_000;

export interface FaultOptions {
  /** Chooses what clients do and which faults occur. */
  readonly seed: number;
  readonly minutes: number;
  readonly replicas: number;
}

/**
 * Lets suppliers and staff work for some minutes while faults occur, waits until the system has recovered, and checks
 * what they saw and what the databases contain. Writes the history to `.run/faults-SEED.json` when a rule is broken.
 */
export async function runFaults(stage: Stage, options: FaultOptions, out: Findings): Promise<void> {
  const { seed, minutes, replicas: count } = options;
  const { progress } = stage;
  progress(`seed ${seed}, ${minutes} minutes, ${count} of each process`);
  const infrastructure = await prepareInfrastructure(stage);
  const receivers = await startReceivers(infrastructure.receiverCertificates, choices(seed + 1));
  const ended = new AbortController();
  let replicas: Replicas | undefined;
  let haunting: ReturnType<typeof haunt> | undefined;
  try {
    replicas = await startReplicas(stage, infrastructure, count);
    const asked: Asked = { customers: 0, requests: [], secrets: [], erasures: [] };
    const suppliers = await openSuppliers(infrastructure, receivers, asked, Math.ceil(minutes * 10));
    const { signal } = ended;
    const work = Promise.all([
      ...Array.from({ length: SENDERS }, (_, sender) =>
        sendSubmissions(suppliers, asked, choices(seed * 1_000 + sender), signal),
      ),
      actAsStaff(infrastructure, suppliers, asked, receivers, choices(seed + 2), signal),
    ]);
    const targets = {
      paths: replicas.paths,
      processes: replicas.pids,
      stores: () => stage.supervisor().pids(),
      superuserUrl: infrastructure.superuserUrl,
      callJetStream: (method: string) =>
        callJetStream(
          infrastructure.surroundings.nats.url,
          method,
          tlsOf(infrastructure.surroundings.parts?.operator),
        ),
      setClock: replicas.setClock,
    };
    const time = AbortSignal.any([AbortSignal.timeout(minutes * 60_000), signal]);
    haunting = haunt(targets, choices(seed), time, progress);
    const counts = await Promise.race([haunting, failureOf(work)]);
    for (const [name, times] of Object.entries(counts)) out.measured(`fault ${name}`, times, 'times');
    receivers.behave();
    ended.abort();
    await work;
    progress(`${asked.requests.length} requests sent; waiting for recovery`);
    await throughOutage(() => eraseSome(infrastructure, asked));
    await settle(infrastructure, progress, out);
    const evidence = await gather(infrastructure, suppliers, asked, receivers);
    report(evidence, out);
    if (violations(evidence).size > 0) {
      const file = join(stage.checkout, '.run', `faults-${seed}.json`);
      writeFileSync(file, JSON.stringify(evidence, undefined, 1));
      progress(`the history is in ${file}`);
    }
  } finally {
    ended.abort();
    await haunting;
    await replicas?.stop();
    await receivers.close();
  }
}

const tlsOf = (files: Certificates | undefined) =>
  files && {
    ca: readFileSync(files.authority),
    cert: readFileSync(files.certificate),
    key: readFileSync(files.key),
  };

/** Never resolves; rejects when `work` does. */
const failureOf = (work: Promise<unknown>): Promise<never> =>
  new Promise((_resolve, reject) => {
    work.catch(reject);
  });

/** Waits until every queue is empty. */
async function settle(
  { superuserUrl }: Infrastructure,
  progress: Stage['progress'],
  out: Findings,
): Promise<void> {
  const databases = databasesAt(superuserUrl);
  const since = performance.now();
  let seen = '';
  await waitUntil(
    async () => {
      const queues = await readQueues(databases).catch(() => [{ name: 'PostgreSQL', rows: 1 }]);
      const now = queues.map(({ name, rows }) => `${name}: ${rows}`).join(', ');
      if (now !== seen) progress(now === '' ? 'every queue is empty' : now);
      seen = now;
      return queues.length === 0 || undefined;
    },
    { withinMs: SETTLED_MS, everyMs: 1_000 },
  );
  out.measured('recovery', (performance.now() - since) / 1_000, 's');
}

async function gather(
  infrastructure: Infrastructure,
  suppliers: readonly Supplier[],
  asked: Asked,
  { deliveries, unreadable }: Receivers,
): Promise<Evidence> {
  const accounts = suppliers.map(({ client: _, ...account }) => account);
  const statements: StatementTotal[] = [];
  for (const { id } of accounts) statements.push(await readStatement(infrastructure, id));
  const stored = await readStored(
    databasesAt(infrastructure.superuserUrl),
    accounts.map(({ id }) => id),
  );
  const { customers: _, ...history } = asked;
  return { accounts, deliveries: deliveries(), unreadable, statements, ...history, ...stored };
}

async function readStatement(
  { surroundings, token }: Infrastructure,
  accountId: string,
): Promise<StatementTotal> {
  const billing = createClient(
    BillingService,
    staffTransport(rpcUrl(surroundings, 'billing'), () => token, surroundings.parts?.operator),
  );
  const month = new Date().toISOString().slice(0, 7);
  const { totals } = await billing.getStatement({ accountId, month });
  return { accountId, charges: Number(totals?.charges), credits: Number(totals?.credits) };
}

function report(evidence: Evidence, out: Findings): void {
  const { requests, submissions, deliveries } = evidence;
  const broken = violations(evidence);
  const looked = `${requests.length} requests, ${submissions.length} submissions, ${deliveries.length} deliveries`;
  out.found('something was checked', submissions.length > 0 && deliveries.length > 0, looked);
  for (const promise of Object.keys(rules)) out.none(promise, broken.get(promise) ?? [], 'no exception');
  const statuses = Map.groupBy(submissions, ({ status }) => status);
  for (const [status, all] of statuses) out.measured(`submissions ${status}`, all.length, 'submissions');
}
