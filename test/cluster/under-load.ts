import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client/client-process.ts';
import type { LoadReport } from './client/load.ts';
import type { Facts } from './progress.ts';

/** The duration of the load before and after the work. */
const AROUND_MS = 3_000;
/** The tried rates of creates, the smallest first, because too high a rate leaves a backlog. */
const RATES = [6, 12, 25] as const;
/** The required capacity of the machine, as a multiple of the load, before pods are replaced under it. */
const HEADROOM = 4;
const SOON_MS = 1_000;
/** The share of creates that may need a successful retry, on a machine that may be busy with other work. */
const RETRIED_SHARE = 0.02;

/** The promise about creates: none needs a retry, all succeed with a few retries, or none that succeeded is lost. */
const PROMISES = {
  'no create fails': ({ failed, sentAgain }: LoadReport) => failed + sentAgain === 0,
  'no create fails on a busy machine': ({ sent, failed, sentAgain }: LoadReport) =>
    failed === 0 && sentAgain <= sent * RETRIED_SHARE,
  'no lead is lost': () => true,
};
export type Promised = keyof typeof PROMISES;

/** Runs `work` while submissions are created. Rejects if `work` rejects, or if the creates fail. */
export async function underLoad(
  client: Client,
  perSecond: number,
  promised: Promised,
  work: () => Promise<unknown>,
): Promise<Facts> {
  const report = await during(client, perSecond, work);
  const { sent, failed, sentAgain, failures, within } = report;
  const counts = `${sent} at ${perSecond} a second, ${failed} failed, ${sentAgain} retried`;
  if (!PROMISES[promised](report)) throw new Error(`creates: ${counts}\n  ${failures.join('\n  ')}`);
  const [p50, p99, max] = within.map((ms) => `${Math.round(ms)} ms`);
  return { creates: counts, 'answered within': `${p50} p50, ${p99} p99, ${max} max` };
}

/**
 * Returns the largest rate for which this machine can serve four times as much: while pods are replaced, most CPU goes
 * to those that start.
 */
export async function sustainable(client: Client): Promise<number> {
  let sustained = 0;
  for (const rate of RATES) {
    const report = await during(client, rate * HEADROOM, async () => {});
    if (!PROMISES['no create fails'](report) || report.within[1] > SOON_MS) break;
    sustained = rate;
  }
  if (sustained === 0) throw new Error(`too slow for ${RATES[0] * HEADROOM} creates a second`);
  return sustained;
}

async function during(client: Client, perSecond: number, work: () => Promise<unknown>) {
  await client.startLoad(perSecond);
  try {
    await pause(AROUND_MS);
    await work();
    await pause(AROUND_MS);
  } catch (error) {
    await client.stopLoad().catch(() => undefined);
    throw error;
  }
  return client.stopLoad();
}
