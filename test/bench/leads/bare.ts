import { nodeRuntime } from '../../../deploy/local/services/node-runtime.ts';
import type { Measure } from '../benchmark.ts';
import { ask, startSideProcess } from '../side-process.ts';
import type { LoadReport } from './load-generator.ts';
import { closedMeasures } from './measures.ts';
import { FIRST_CUSTOMER, type RequestSource } from './requests.ts';
import type { Stage } from './stage.ts';

const READY_MS = 120_000;

/** The bare server's responses per second. */
export interface Bare {
  readonly inserts: number;
  readonly selects: number;
}

/** Measures what Fastify, pg and PostgreSQL achieve on this machine with only one statement per request. */
export async function measureBare(
  { bench, sizes, send }: Stage,
  add: (...measures: Measure[]) => void,
): Promise<Bare> {
  const server = startSideProcess('leads/bare-server.ts', [], nodeRuntime('').flags);
  try {
    const { port } = await ask<{ port: number }>(server, { databaseUrl: bench.stack.postgres }, READY_MS);
    const { postgres = 0 } = bench.pids();
    const run = async (source: Pick<RequestSource, 'kind' | 'series' | 'subjects'>): Promise<LoadReport> => {
      const order = {
        origin: `http://127.0.0.1:${port}`,
        wanted: source.kind === 'insert' ? 202 : 200,
        connections: sizes.burstConnections,
        atMost: Number.MAX_SAFE_INTEGER,
      };
      const pids = () => ({ 'bare server': server.pid ?? 0, postgres });
      const whole = { ...source, credential: 'none', firstCustomer: FIRST_CUSTOMER };
      const warmUp = { ...whole, series: `${source.series}-warm-up` };
      await send({ ...order, source: warmUp, seconds: sizes.warmUpSeconds }, pids);
      const report = await send({ ...order, source: whole, seconds: sizes.burstSeconds }, pids);
      const what = `bare server: ${source.kind}s`;
      add(...closedMeasures(what, report));
      bench.progress(`${what}: ${(report.answered / report.seconds).toFixed(0)}/s`);
      return report;
    };
    const inserts = await run({ kind: 'insert', series: `bare-${process.hrtime.bigint()}` });
    const selects = await run({ kind: 'select', series: '', subjects: inserts.created });
    return { inserts: inserts.answered / inserts.seconds, selects: selects.answered / selects.seconds };
  } finally {
    server.kill();
  }
}
