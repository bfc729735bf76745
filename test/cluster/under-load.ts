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
/**
 * Which part of the creates may have to be sent again while a machine's two or four CPUs start every pod anew, where it is not
 * known to be idle otherwise: "try again shortly", or a kept connection of whose end a client without CPU knows too late. Each
 * of them must be taken then.
 */
const PART_SENT_AGAIN = 0.02;

/**
 * None fails: each is taken at once; on a busy machine up to two in a hundred may be taken when they are sent again.
 * None is lost: of those that were taken, as is looked at later.
 */
export type Promised = 'none fails' | 'none fails on a busy machine' | 'none is lost';

/** Does `work` while leads are created. Rejects as it does; then with what became of the creates, if that is not as promised. */
export async function underLoad(
  client: Client,
  perSecond: number,
  promised: Promised,
  work: () => Promise<Facts>,
): Promise<Facts> {
  const { facts, report } = await during(client, perSecond, work);
  if (!isKept(promised, report)) throw new Error(failures(report));
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
    if (!isKept('none fails', report) || report.within[1] > SOON_MS) break;
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

function isKept(promised: Promised, { sent, failed, sentAgain }: LoadReport): boolean {
  switch (promised) {
    case 'none fails':
      return failed + sentAgain === 0;
    case 'none fails on a busy machine':
      return failed === 0 && sentAgain <= sent * PART_SENT_AGAIN;
    case 'none is lost':
      return true;
  }
}

const failures = ({ sent, failed, sentAgain, failures: all }: LoadReport) =>
  `${failed} of ${sent} creates failed, ${sentAgain} were taken when sent again:\n  ${all.slice(0, SHOWN).join('\n  ')}`;

function factsOf(
  perSecond: number,
  { sent, failed, sentAgain, seconds, within, failures: all }: LoadReport,
): Facts {
  const [half, most, last] = within.map((ms) => `${Math.round(ms)} ms`);
  return {
    'creates a second, wanted': perSecond,
    'creates a second, sent': Math.round((sent / seconds) * 10) / 10,
    'creates sent': sent,
    'creates failed': failed,
    'creates taken when sent again': sentAgain,
    ...(all[0] === undefined ? {} : { 'the first of them': all[0] }),
    'answered within': `${half} p50, ${most} p99, ${last} max`,
  };
}
