import type { Client } from './client/client.ts';
import type { LoadReport } from './client/load.ts';
import type { Facts } from './progress.ts';

/** Load before and after what is done under it. */
const AROUND_MS = 3_000;
const KEPT_ALIVE = 20;
const SHOWN = 10;
const LEAST_PER_SECOND = 5;
/** How many times the load a machine must be able to give before pods are replaced under it. */
const HEADROOM = 4;
const SOON_MS = 1_000;

/** Whether one create that fails fails the step, or only one that was answered with a 202 and is lost, as is looked at later. */
export type Promised = 'none fails' | 'none is lost';

/** Does `work` while leads are created. Rejects as it does; then with what failed, if only one create did and none may. */
export async function underLoad(
  client: Client,
  perSecond: number,
  promised: Promised,
  work: () => Promise<Facts>,
): Promise<Facts> {
  const { facts, report } = await during(client, perSecond, work);
  if (report.failed > 0 && promised === 'none fails') throw new Error(failures(report));
  return { ...facts, ...factsOf(perSecond, report) };
}

/**
 * The wanted rate or a half, quarter, … of it: the largest of which a machine gives four times as much for some seconds,
 * all answered and nearly all of them soon. While pods are replaced most of the CPU is for those that start, and a machine
 * that is full fails requests whoever is replaced.
 */
export async function sustainable(client: Client, wanted: number): Promise<number> {
  let given: number | undefined;
  // From the least on: what is too much leaves a backlog behind.
  for (const rate of halvesOf(wanted)) {
    const { report } = await during(client, rate * HEADROOM, async () => ({}));
    if (report.failed > 0 || report.within[1] > SOON_MS) break;
    given = rate;
  }
  if (given !== undefined) return given;
  const least = LEAST_PER_SECOND * HEADROOM;
  throw new Error(`not even ${least} creates a second are answered within ${SOON_MS} ms`);
}

async function during(client: Client, perSecond: number, work: () => Promise<Facts>) {
  const around = () => new Promise((resolve) => setTimeout(resolve, AROUND_MS));
  await client.startLoad({ perSecond, keptAlive: KEPT_ALIVE });
  let facts: Facts;
  try {
    await around();
    facts = await work();
    await around();
  } catch (error) {
    await client.stopLoad();
    throw error;
  }
  return { facts, report: await client.stopLoad() };
}

/** The smallest first. */
function halvesOf(wanted: number): number[] {
  const rates: number[] = [];
  for (let rate = wanted; rate >= LEAST_PER_SECOND; rate = Math.floor(rate / 2)) rates.unshift(rate);
  return rates;
}

const failures = ({ failed, sent, failures: all }: LoadReport) =>
  `${failed} of ${sent} creates failed:\n  ${all.slice(0, SHOWN).join('\n  ')}`;

function factsOf(perSecond: number, { sent, failed, seconds, within, failures: all }: LoadReport): Facts {
  const [half, most, last] = within.map((ms) => `${Math.round(ms)} ms`);
  return {
    'creates a second, wanted': perSecond,
    'creates a second, sent': Math.round((sent / seconds) * 10) / 10,
    'creates sent': sent,
    'creates failed': failed,
    ...(all[0] === undefined ? {} : { 'the first of them': all[0] }),
    'answered within': `${half} p50, ${most} p99, ${last} max`,
  };
}
