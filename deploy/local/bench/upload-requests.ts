import type { BenchSupplier } from './bench-supplier.ts';
import type { Measure } from './result.ts';
import { nextMessage, startSideProcess } from './side-processes.ts';
import { percentile } from './statistics.ts';
import type { RequestOrder, RequestReport } from './url-requester.ts';
import type { Workbench } from './workbench.ts';

export const REQUESTS_PER_SECOND = 200;
/** Until the code that each request runs is compiled. */
const WARM_UP_SECONDS = 10;
/** Small, so that the bytes that an account may have do not run out. */
const BYTES = 1_024;
const TARGET_P99_MS = 15;

/** How long suppliers wait for upload URLs under a steady load, all of it of one supplier. */
export async function measureRequests(
  bench: Workbench,
  supplier: BenchSupplier,
  seconds: number,
): Promise<Measure[]> {
  const requester = startSideProcess('url-requester.ts', []);
  const ask = async (series: string, duration: number) => {
    const answer = nextMessage<RequestReport>(requester);
    const pace = { perSecond: REQUESTS_PER_SECOND, seconds: duration };
    const order: RequestOrder = { supplier, pace, series, bytes: BYTES };
    requester.send(order);
    return answer;
  };
  bench.progress('upload URLs: warming up …');
  await ask('warm-up', WARM_UP_SECONDS);
  bench.progress(`upload URLs: ${REQUESTS_PER_SECOND}/s for ${seconds} s …`);
  const outcomes = await ask('steady', seconds);
  requester.kill();

  const failed = outcomes.filter(({ failure }) => failure !== undefined);
  if (failed[0]) bench.progress(`  the first of ${failed.length} that failed: ${failed[0].failure}`);
  const latencies = outcomes.map(({ latencyMs }) => latencyMs);
  const late = outcomes.map(({ lateMs }) => lateMs);
  return [
    { what: 'upload URLs: due to answered, p50', value: percentile(latencies, 0.5), unit: 'ms' },
    {
      what: 'upload URLs: due to answered, p99',
      value: percentile(latencies, 0.99),
      unit: 'ms',
      target: { atMost: TARGET_P99_MS },
    },
    { what: 'upload URLs: slowest', value: percentile(latencies, 1), unit: 'ms' },
    { what: 'upload URLs: of that, due to sent, p99', value: percentile(late, 0.99), unit: 'ms' },
    { what: 'upload URLs: asked for', value: outcomes.length, unit: '' },
    { what: 'upload URLs: not given', value: failed.length, unit: '', target: { atMost: 0 } },
  ];
}
