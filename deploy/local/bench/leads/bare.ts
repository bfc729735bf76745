import { nextMessage, startSideProcess } from '../side-processes.ts';
import type { Workbench } from '../workbench.ts';
import type { BareServerOrder } from './bare-server.ts';
import { closedResult } from './closed-loops.ts';
import type { Generator } from './generator.ts';
import type { LoadReport } from './load-generator.ts';
import type { BareResults } from './report.ts';
import type { RequestSource } from './requests.ts';
import type { Sizes } from './sizes.ts';
import { cpuMsOf } from './stack-usage.ts';

const READY_MS = 30_000;
const DATABASE = 'bare';

/** What Fastify, pg and PostgreSQL do on this machine with one statement for each request and nothing else. */
export async function measureBare(
  bench: Workbench,
  sizes: Sizes,
  generator: Generator,
  bare: BareResults,
): Promise<void> {
  const server = startSideProcess('leads/bare-server.ts', [], bench.node);
  try {
    const order: BareServerOrder = { databaseUrl: await bench.makeDatabase(DATABASE) };
    const ready = nextMessage<{ port: number }>(server, READY_MS);
    server.send(order);
    const { port } = await ready;
    const pids = { 'bare server': server.pid ?? 0, postgres: bench.pidOf('postgres') };
    const run = async (source: Pick<RequestSource, 'kind' | 'series' | 'subjects'>, seconds: number) => {
      const before = cpuMsOf(pids);
      const report: LoadReport = await generator.carryOut({
        origin: `http://127.0.0.1:${port}`,
        wanted: source.kind === 'insert' ? 202 : 200,
        connections: sizes.burstConnections,
        source: { ...source, credential: 'none', firstCustomer: 10_000_000 },
        load: { loop: 'closed', seconds, atMost: Number.MAX_SAFE_INTEGER },
      });
      return { report, result: closedResult(report, before, cpuMsOf(pids)) };
    };
    bench.progress('the bare server: inserts …');
    const series = `bare-${process.hrtime.bigint()}`;
    await run({ kind: 'insert', series: `${series}-warm-up` }, sizes.warmUpSeconds);
    const inserts = await run({ kind: 'insert', series }, sizes.burstSeconds);
    bare.inserts = inserts.result;
    bench.progress(`  ${inserts.result.perSecond.toFixed(0)}/s; selects …`);
    const subjects = inserts.report.created;
    await run({ kind: 'select', series: '', subjects }, sizes.warmUpSeconds);
    bare.selects = (await run({ kind: 'select', series: '', subjects }, sizes.burstSeconds)).result;
    bench.progress(`  ${bare.selects.perSecond.toFixed(0)}/s`);
  } finally {
    server.kill();
  }
}
