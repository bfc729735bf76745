import { readFileSync } from 'node:fs';
import { createClient } from '@connectrpc/connect';
import { SUBSCRIPTIONS } from '@supplier/lib/events/event-bus';
import { BillingService } from '@supplier/proto/billing/v1/billing';
import type { Certificates } from '../../../deploy/local/identity/make-certificates.ts';
import { choices } from '../../../deploy/local/sample-data/random.ts';
import { staffTransport } from '../../../deploy/local/seed/staff-clients.ts';
import { rpcUrl } from '../../../deploy/local/services/process-table.ts';
import { waitUntil } from '../../../deploy/local/wait-until.ts';
import { callJetStream } from '../../harness/jetstream.ts';
import { databasesAt } from '../databases.ts';
import type { Stage } from '../stage.ts';
import type { Loss } from '../stores/postgres-pair.ts';
import { throughOutage } from '../stores/store-faults.ts';
import { withoutLost } from '../stores/without-lost.ts';
import { type Infrastructure, prepareInfrastructure, type StoreSetup } from '../upgrade/infrastructure.ts';
import {
  type Asked,
  actAsStaff,
  eraseSome,
  type Load,
  misuseApproval,
  nothingAsked,
  openSuppliers,
  type Supplier,
  sendSubmissions,
} from './clients.ts';
import type { Evidence, StatementTotal } from './evidence.ts';
import { haunt, type Restriction } from './nemesis.ts';
import { type Queues, readQueues, readStored } from './read-evidence.ts';
import { type Receivers, startReceivers } from './receivers.ts';
import { type Replicas, startReplicas } from './replicas.ts';

const MORE_MS = 60_000;

/** A running system, with the receivers of its suppliers. */
export interface System {
  readonly stage: Stage;
  readonly infrastructure: Infrastructure;
  readonly receivers: Receivers;
  readonly replicas: Replicas;
  /** Returns the events that each consumer hasn't acknowledged. */
  backlogs(): Promise<Queues>;
  stop(): Promise<void>;
}

/** Starts `count` processes of each kind from the sources in `checkout`. */
export async function openSystem(
  stage: Stage,
  seed: number,
  count: number,
  checkout = stage.checkout,
  setup?: StoreSetup,
): Promise<System> {
  const infrastructure = await prepareInfrastructure(stage, setup);
  const receivers = await startReceivers(infrastructure.receiverCertificates, choices(seed + 1));
  try {
    const replicas = await startReplicas(stage, infrastructure, count, checkout);
    return {
      ...{ stage, infrastructure, receivers, replicas },
      backlogs: () => readBacklogs(infrastructure),
      async stop() {
        await replicas.stop();
        infrastructure.natsCluster?.close();
        infrastructure.postgresPair?.close();
        await receivers.close();
      },
    };
  } catch (error) {
    await receivers.close();
    throw error;
  }
}

/** What happens during a run. */
export interface Plan {
  readonly seed: number;
  /** The number of customers that earlier runs of the system have used. */
  readonly customersBefore?: number;
  readonly durationMs: number;
  /** Afterwards the load continues until this number of requests, for a minute at most; none by default. */
  readonly leastRequests?: number;
  readonly load: Load;
  readonly faults: Restriction;
  /** The share of events that receivers refuse, at their first attempt or at each. */
  readonly refused: number;
  readonly refusedAttempts?: 'first' | 'all';
  readonly inFlightMs: number;
  /** How long recovery may take. */
  readonly recoveryMs: number;
}

/** What a run left behind. */
export interface Observed {
  readonly evidence: Evidence;
  /** How often each fault occurred. */
  readonly faults: Readonly<Record<string, number>>;
  readonly recoveryMs: number;
}

/**
 * Lets new suppliers and staff work while faults occur, waits until the system has recovered, and collects what they saw
 * and what the databases contain.
 */
export async function observe(system: System, plan: Plan, progress: Stage['progress']): Promise<Observed> {
  const { infrastructure, receivers, replicas, stage } = system;
  const { seed, load } = plan;
  const asked = nothingAsked(plan.customersBefore ?? 0);
  const suppliers = await openSuppliers(infrastructure, receivers, asked, load.caps);
  receivers.misbehave(plan.refused, plan.refusedAttempts);
  const losses: Loss[] = [];
  const ended = new AbortController();
  const { signal } = ended;
  let haunting: ReturnType<typeof haunt> | undefined;
  try {
    const work = Promise.all([
      ...Array.from({ length: load.senders }, (_, sender) =>
        sendSubmissions(suppliers, asked, load, choices(seed * 1_000 + sender), signal),
      ),
      actAsStaff(infrastructure, suppliers, asked, receivers, load, choices(seed + 2), signal),
    ]);
    const targets = {
      paths: replicas.paths,
      processes: replicas.pids,
      stores: () => stage.supervisor().pids(),
      callJetStream: (method: string) => askJetStream(infrastructure, method),
      setClock: replicas.setClock,
      ...infrastructure,
      stopServices: replicas.kill,
      reportLoss: (loss: Loss) => void losses.push(loss),
    };
    const time = AbortSignal.any([AbortSignal.timeout(plan.durationMs), signal]);
    const elapsed = new Promise((resolve) => time.addEventListener('abort', resolve, { once: true }));
    haunting = haunt(targets, choices(seed), time, progress, plan.faults);
    const enough = async () => {
      await Promise.all([haunting, elapsed]);
      const { leastRequests = 0 } = plan;
      const isEnough = () => asked.requests.length >= leastRequests || undefined;
      await waitUntil(isEnough, { withinMs: MORE_MS, everyMs: 100 });
    };
    await Promise.race([enough(), failureOf(work)]);
    if (plan.refusedAttempts !== 'all') receivers.misbehave(0);
    ended.abort();
    await work;
    progress(`${asked.requests.length} requests sent; waiting for recovery`);
    await throughOutage(() => eraseSome(infrastructure, asked, losses));
    await throughOutage(() => misuseApproval(infrastructure, asked, losses));
    const recoveryMs = await settle(system, plan.recoveryMs, progress);
    const evidence = withoutLost(await gather(system, suppliers, asked, plan.inFlightMs), losses);
    return { evidence, faults: await haunting, recoveryMs };
  } finally {
    ended.abort();
    await haunting;
  }
}

/** Never resolves; rejects when `work` does. */
const failureOf = (work: Promise<unknown>): Promise<never> =>
  new Promise((_resolve, reject) => {
    work.catch(reject);
  });

/** Waits until every queue is empty, for `withinMs` at most. Resolves to how long it took. */
export async function settle(
  { infrastructure, backlogs }: System,
  withinMs: number,
  progress: Stage['progress'],
): Promise<number> {
  const databases = databasesAt(infrastructure.superuserUrl);
  const since = performance.now();
  let seen = '';
  await waitUntil(
    async () => {
      const queues = await readQueues(databases, backlogs).catch(() => [{ name: 'PostgreSQL', rows: 1 }]);
      const now = queues.map(({ name, rows }) => `${name}: ${rows}`).join(', ');
      if (now !== seen) progress(now === '' ? 'every queue is empty' : now);
      seen = now;
      return queues.length === 0 || undefined;
    },
    { withinMs, everyMs: 1_000 },
  );
  return performance.now() - since;
}

async function gather(
  { infrastructure, receivers, backlogs }: System,
  suppliers: readonly Supplier[],
  asked: Asked,
  inFlightMs: number,
): Promise<Evidence> {
  const accounts = suppliers.map(({ client: _, ...account }) => account);
  const ids = accounts.map(({ id }) => id);
  const statements: StatementTotal[] = [];
  for (const id of ids) statements.push(await readStatement(infrastructure, id));
  const stored = await readStored(
    databasesAt(infrastructure.superuserUrl),
    ids,
    asked.erasures.map(({ submissionId }) => submissionId),
    backlogs,
  );
  const { customers: _, ...history } = asked;
  const received = { deliveries: receivers.deliveries(ids), unreadable: receivers.unreadable(ids) };
  return { accounts, ...received, statements, ...history, ...stored, inFlightMs };
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

/** A consumer that was deleted hasn't been recreated yet, so its backlog is unknown. */
async function readBacklogs(infrastructure: Infrastructure): Promise<Queues> {
  const backlogs = [SUBSCRIPTIONS.billing, SUBSCRIPTIONS.webhook].map(async ({ stream, consumer }) => {
    const info = await askJetStream(infrastructure, `CONSUMER.INFO.${stream}.${consumer}`);
    const { num_pending, num_ack_pending } = info as Record<'num_pending' | 'num_ack_pending', number>;
    return { name: `consumer ${consumer}`, rows: num_pending + num_ack_pending };
  });
  return (await Promise.all(backlogs)).filter(({ rows }) => rows > 0);
}

const askJetStream = ({ surroundings }: Infrastructure, method: string): Promise<unknown> =>
  callJetStream(surroundings.nats.url, method, tlsOf(surroundings.parts?.operator));

const tlsOf = (files: Certificates | undefined) =>
  files && {
    ca: readFileSync(files.authority),
    cert: readFileSync(files.certificate),
    key: readFileSync(files.key),
  };
