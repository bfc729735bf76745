import type { Client } from './client/client-process.ts';
import type { LoadReport } from './client/load.ts';
import type { Facts } from './progress.ts';

/** The duration of the load before and after the work. */
const AROUND_MS = 3_000;
const KEPT_ALIVE = 20;
const LEAST_PER_SECOND = 5;
/** The required capacity of the machine, as a multiple of the load, before pods are replaced under it. */
const HEADROOM = 4;
const SOON_MS = 1_000;
/** The share of creates that may need a successful retry, on a machine that may be busy with other work. */
const PART_SENT_AGAIN = 0.02;

/** The promise about creates: none needs a retry, all succeed with a few retries, or none that succeeded is lost. */
export type Promised = 'no create fails' | 'no create fails on a busy machine' | 'no lead is lost';

/** Runs `work` while submissions are created. Rejects if `work` rejects, or if the creates fail. */
export async function underLoad(
  client: Client,
  perSecond: number,
  promised: Promised,
  work: () => Promise<unknown>,
): Promise<Facts> {
  const report = await during(client, perSecond, work);
  if (!isKept(promised, report)) throw new Error(failures(report));
  return factsOf(perSecond, report);
}

/**
 * Returns the wanted rate or a half, quarter, … of it: the largest for which this machine can serve four times as much.
 * While pods are replaced, most CPU goes to those that start.
 */
export async function sustainable(client: Client, wanted: number): Promise<number> {
  let given: number | undefined;
  const rates: number[] = [];
  for (let rate = wanted; rate >= LEAST_PER_SECOND; rate = Math.floor(rate / 2)) rates.unshift(rate);
  // The smallest first, because too high a rate leaves a backlog.
  for (const rate of rates) {
    const report = await during(client, rate * HEADROOM, async () => {});
    if (!isKept('no create fails', report) || report.within[1] > SOON_MS) break;
    given = rate;
  }
  if (given === undefined) throw new Error(`too slow for ${LEAST_PER_SECOND * HEADROOM} creates a second`);
  return given;
}

async function during(client: Client, perSecond: number, work: () => Promise<unknown>) {
  const around = () => new Promise((resolve) => setTimeout(resolve, AROUND_MS));
  await client.startLoad({ perSecond, keptAlive: KEPT_ALIVE });
  try {
    await around();
    await work();
    await around();
  } catch (error) {
    await client.stopLoad();
    throw error;
  }
  return client.stopLoad();
}

function isKept(promised: Promised, { sent, failed, sentAgain }: LoadReport): boolean {
  switch (promised) {
    case 'no create fails':
      return failed + sentAgain === 0;
    case 'no create fails on a busy machine':
      return failed === 0 && sentAgain <= sent * PART_SENT_AGAIN;
    case 'no lead is lost':
      return true;
  }
}

const failures = ({ sent, failed, sentAgain, failures: all }: LoadReport) =>
  `${failed} of ${sent} creates failed, ${sentAgain} succeeded when retried:\n  ${all.slice(0, 10).join('\n  ')}`;

function factsOf(perSecond: number, { sent, failed, sentAgain, within }: LoadReport): Facts {
  const [p50, p99, max] = within.map((ms) => `${Math.round(ms)} ms`);
  return {
    creates: `${sent} at ${perSecond} a second, ${failed} failed, ${sentAgain} retried`,
    'answered within': `${p50} p50, ${p99} p99, ${max} max`,
  };
}
