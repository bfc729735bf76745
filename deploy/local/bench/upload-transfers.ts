import { Agent } from 'undici';
import type { BenchSupplier } from './bench-supplier.ts';
import { watchMemory } from './memory-watch.ts';
import { bytesRead } from './process-usage.ts';
import type { Measure } from './result.ts';
import { nextMessage, startSideProcess } from './side-processes.ts';
import { percentile } from './statistics.ts';
import type { UploadOrder, UploadReport } from './upload-sender.ts';
import { askForUpload } from './upload-urls.ts';
import type { Workbench } from './workbench.ts';

const MIB = 1024 * 1024;
/** As large as a document may be, one at a time; then many that are smaller, all at once. */
const LARGE = { bytes: 25 * MIB, warmUp: 3, runs: 11 };
const MANY = { bytes: 5 * MIB, atOnce: 50, warmUp: 1, runs: 5 };
const TARGET_MB_PER_SECOND = 150;
const TARGET_MEMORY_MIB = 40;
/** What a gateway reads of its neighbours while nobody calls it; one file of these would be 20 times as much. */
const TARGET_GATEWAY_KIB = 256;

/** One order, carried out. */
interface Run {
  readonly megabytesPerSecond: number;
  readonly failures: readonly string[];
  /** Of the document service, in MiB: before it, and at most beyond that. */
  readonly memoryBefore: number;
  readonly extraMemory: number;
}

/** How fast files are taken and what that costs in memory, with the URLs asked for beforehand. */
export async function measureTransfers(bench: Workbench, supplier: BenchSupplier): Promise<Measure[]> {
  const readAtFirst = bytesRead(bench.pidOf('gateway'));
  bench.progress('uploads: asking for URLs …');
  const largeUrls = await ask(supplier, 'large', LARGE.warmUp + LARGE.runs, LARGE.bytes);
  const manyUrls = await ask(supplier, 'many', (MANY.warmUp + MANY.runs) * MANY.atOnce, MANY.bytes);

  const sender = startSideProcess('upload-sender.ts', []);
  const send = (urls: readonly string[], bytes: number) =>
    carryOut(bench.pidOf('document'), { urls, bytes }, async (order) => {
      const answer = nextMessage<UploadReport>(sender);
      sender.send(order);
      return answer;
    });
  const readBefore = bytesRead(bench.pidOf('gateway'));
  bench.progress(`uploads: ${LARGE.runs} of 25 MiB, one at a time …`);
  const large: Run[] = [];
  for (const url of largeUrls) large.push(await send([url], LARGE.bytes));
  bench.progress(`uploads: ${MANY.runs} times ${MANY.atOnce} of 5 MiB at once …`);
  const many: Run[] = [];
  for (let from = 0; from < manyUrls.length; from += MANY.atOnce)
    many.push(await send(manyUrls.slice(from, from + MANY.atOnce), MANY.bytes));
  const read = bytesRead(bench.pidOf('gateway')) - readBefore;
  sender.kill();

  const [failure] = [...large, ...many].flatMap(({ failures }) => failures);
  if (failure !== undefined) bench.progress(`  the first that failed: ${failure}`);
  return [
    ...describeLarge(large),
    ...describeMany(many),
    {
      what: 'read by the gateway for each upload URL',
      value: (readBefore - readAtFirst) / 1_024 / (largeUrls.length + manyUrls.length),
      unit: 'KiB',
      // Less would mean that what a process reads is not counted here.
      target: { atLeast: 0.1 },
    },
    {
      what: 'read by the gateway during all uploads',
      value: read / 1_024,
      unit: 'KiB',
      target: { atMost: TARGET_GATEWAY_KIB },
    },
  ];
}

function describeLarge(all: readonly Run[]): Measure[] {
  const runs = all.slice(LARGE.warmUp);
  return [
    {
      what: 'one of 25 MiB: p50',
      value: percentile(rates(runs), 0.5),
      unit: 'MB/s',
      target: { atLeast: TARGET_MB_PER_SECOND },
    },
    { what: 'one of 25 MiB: slowest', value: percentile(rates(runs), 0), unit: 'MB/s' },
    { what: 'one of 25 MiB: failed', value: failedOf(all), unit: '', target: { atMost: 0 } },
    { what: 'one of 25 MiB: memory before', value: all[0]?.memoryBefore ?? Number.NaN, unit: 'MiB' },
    {
      what: 'one of 25 MiB: extra memory, the very first',
      value: all[0]?.extraMemory ?? Number.NaN,
      unit: 'MiB',
      target: { atMost: TARGET_MEMORY_MIB },
    },
    {
      what: 'one of 25 MiB: extra memory, at most',
      value: mostExtra(runs),
      unit: 'MiB',
      target: { atMost: TARGET_MEMORY_MIB },
    },
  ];
}

function describeMany(all: readonly Run[]): Measure[] {
  const label = `${MANY.atOnce} of 5 MiB at once`;
  const runs = all.slice(MANY.warmUp);
  return [
    { what: `${label}: p50`, value: percentile(rates(runs), 0.5), unit: 'MB/s' },
    { what: `${label}: failed`, value: failedOf(all), unit: '', target: { atMost: 0 } },
    { what: `${label}: extra memory, at most`, value: mostExtra(runs), unit: 'MiB' },
  ];
}

const rates = (runs: readonly Run[]) => runs.map(({ megabytesPerSecond }) => megabytesPerSecond);
const mostExtra = (runs: readonly Run[]) => Math.max(...runs.map(({ extraMemory }) => extraMemory));
const failedOf = (runs: readonly Run[]) => runs.reduce((sum, { failures }) => sum + failures.length, 0);

async function carryOut(
  documentPid: number,
  order: UploadOrder,
  send: (order: UploadOrder) => Promise<UploadReport>,
): Promise<Run> {
  const watch = watchMemory(documentPid);
  const { ms, failures } = await send(order);
  const taken = order.urls.length - failures.length;
  return {
    megabytesPerSecond: (taken * order.bytes) / 1e6 / (ms / 1_000),
    failures,
    memoryBefore: watch.before,
    extraMemory: watch.stop(),
  };
}

async function ask(
  supplier: BenchSupplier,
  series: string,
  count: number,
  bytes: number,
): Promise<readonly string[]> {
  const dispatcher = new Agent();
  const urls: string[] = [];
  for (let index = 0; index < count; index += 1)
    urls.push(await askForUpload(supplier, { dispatcher, series, index, bytes }));
  await dispatcher.close();
  return urls;
}
