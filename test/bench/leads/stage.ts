import type { ChildProcess } from 'node:child_process';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Bench } from '../bench.ts';
import type { BenchOptions } from '../options.ts';
import type { ReceiverOrder, ReceiverReport } from '../receiver.ts';
import { ask, startSideProcess } from '../side-process.ts';
import { cpuForEach, cpuMsOf, type PerProcess } from '../usage.ts';
import type { LoadReport, Order } from './load-generator.ts';
import { FIRST_CUSTOMER, type RequestSource } from './requests.ts';

/** The duration and intensity of each part of the measurement. */
export interface Sizes {
  readonly warmUpSeconds: number;
  /** For measurements in which every connection sends the next request when the previous one is answered. */
  readonly burstSeconds: number;
  readonly burstConnections: number;
  readonly rateConnections: number;
}

const USUAL: Sizes = { warmUpSeconds: 3, burstSeconds: 8, burstConnections: 64, rateConnections: 256 };
const SHORT: Sizes = { warmUpSeconds: 1, burstSeconds: 1, burstConnections: 4, rateConnections: 16 };
/** Requests still in progress at the end have their own time limit. */
const BEYOND_MS = 60_000;
const REPORT_MS = 60_000;
const READY_MS = 120_000;

/** The shared resources of the submission measurements. */
export interface Stage {
  readonly bench: Bench;
  readonly sizes: Sizes;
  /** The supplier of the submissions, in production, with billing and a webhook endpoint. */
  readonly accountId: string;
  readonly credential: string;
  /** Reserves `count` customers for this measurement. Returns the number of the first. */
  takeCustomers(count: number): number;
  tell(order: ReceiverOrder): Promise<ReceiverReport>;
  /** The load generator and the receiver, by name. */
  readonly tools: PerProcess;
  send: SendLoad;
  stop(): void;
}

/**
 * Sends requests; `pids` are the processes whose CPU time is counted. Throws when no response has the expected status.
 */
export type SendLoad = (order: Order, pids: () => PerProcess) => Promise<LoadReport & { cpuMs: PerProcess }>;

/** Starts the sending and receiving processes, and creates the benchmark's supplier. */
export async function setStage(bench: Bench, { short }: BenchOptions): Promise<Stage> {
  const { certificate, key } = bench.certificates;
  const generator = startSideProcess('leads/load-generator.ts');
  const receiver = startSideProcess('receiver.ts', [certificate, key]);
  const { port } = await ask<{ port: number }>(receiver, undefined, READY_MS);
  const tell = (order: ReceiverOrder) => ask<ReceiverReport>(receiver, order, REPORT_MS);
  const environment = Environment.PRODUCTION;
  const supplier = await bench.makeSupplier(environment);
  const url = `https://127.0.0.1:${port}/leads`;
  const { signingSecret } = await bench.staff.webhook.createEndpoint({
    accountId: supplier.accountId,
    environment,
    url,
  });
  await tell({ secrets: { '/leads': signingSecret } });
  let customers = FIRST_CUSTOMER;
  return {
    bench,
    sizes: short ? SHORT : USUAL,
    ...supplier,
    takeCustomers(count) {
      customers += count;
      return customers - count;
    },
    tell,
    tools: { 'load generator': generator.pid ?? 0, receiver: receiver.pid ?? 0, watcher: process.pid },
    send: (order, pids) => sendLoad(generator, order, () => cpuMsOf(pids(), bench.backends)),
    stop() {
      generator.kill();
      receiver.kill();
    },
  };
}

async function sendLoad(generator: ChildProcess, order: Order, cpu: () => PerProcess) {
  const before = cpu();
  const report = await ask<LoadReport>(generator, order, order.seconds * 1_000 + BEYOND_MS);
  const { answered, refused } = report;
  if (answered === 0)
    throw new Error(`no ${order.source.kind} returned ${order.wanted}: ${JSON.stringify(refused)}`);
  return { ...report, cpuMs: cpuForEach(before, cpu(), answered) };
}

/** Returns a full-speed load for the production gateway. */
export const burstOf = (
  { bench, sizes, credential }: Stage,
  source: Omit<RequestSource, 'credential'>,
  { wanted, seconds = sizes.burstSeconds, atMost }: { wanted: number; seconds?: number; atMost: number },
): Order => ({
  origin: bench.stack.production,
  wanted,
  connections: sizes.burstConnections,
  source: { ...source, credential },
  seconds,
  atMost,
});
