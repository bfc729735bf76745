import { setTimeout as pause } from 'node:timers/promises';
import type { Bench } from '../bench.ts';
import type { ReceiverReport } from '../receiver.ts';
import { memoryMibOf } from '../usage.ts';
import { monotonicMs } from './monotonic.ts';
import { lookAtQueues, type QueueStates } from './queues.ts';

const LOOK_EVERY_MS = 500;
/** The interval while submissions are sent: each poll reads dead index entries of the queues, which costs PostgreSQL time. */
const LOOK_WHILE_SENDING_MS = 2_000;
const TELL_EVERY = 10;
/** Measuring memory costs CPU time. */
const MEMORY_EVERY = 2;
/** The longest period without progress, and the longest total duration. */
const STALLED_MS = 30_000;
const LONGEST_MS = 600_000;

/** Observations while submissions went through the system. */
export interface Watched {
  /** By queue: the maximum age of its oldest entry. */
  readonly oldestMs: Readonly<Record<string, number>>;
  /** Of the whole stack, at most. */
  readonly memoryMib: number;
  /** From the last response until no submission and no queue had any work left. */
  readonly drainMs: number;
  readonly decided: number;
}

/**
 * Polls the system every two seconds while `load` runs, then twice a second until webhooks have settled the number of
 * submissions that it resolves to and every queue is empty. Throws when there is no progress for 30 s, or after ten minutes.
 */
export async function watchUntilDrained(
  bench: Bench,
  what: string,
  report: () => Promise<ReceiverReport>,
  load: Promise<{ readonly answered: number }>,
): Promise<Watched> {
  const oldestMs: Record<string, number> = {};
  let memoryMib = 0;
  let sent: { answered: number; at: number } | undefined;
  let failure: unknown;
  void load.then(
    ({ answered }) => {
      sent = { answered, at: monotonicMs() };
    },
    (error: unknown) => {
      failure = error;
    },
  );
  let [moved, before] = [monotonicMs(), ''];
  for (let looks = 0; failure === undefined; looks += 1) {
    const now = monotonicMs();
    const [queues, { submissions }] = await Promise.all([lookAtQueues(bench), report()]);
    for (const [name, state] of Object.entries(queues))
      oldestMs[name] = Math.max(oldestMs[name] ?? 0, state.oldestMs);
    if (looks % MEMORY_EVERY === 0) memoryMib = Math.max(memoryMib, memoryMibOf(bench.pids()));
    const state = describe(queues, submissions);
    if (looks % TELL_EVERY === TELL_EVERY - 1) bench.progress(`  ${what}: ${state}`);
    if (state !== before) moved = now;
    before = state;
    if (sent && now >= sent.at) {
      if (submissions.settled >= sent.answered && Object.values(queues).every(({ waiting }) => waiting === 0))
        return { oldestMs, memoryMib, drainMs: now - sent.at, decided: submissions.decided };
      const missing = `${what}: of ${sent.answered} leads, ${state}`;
      if (now - moved > STALLED_MS) throw new Error(`no progress for ${STALLED_MS / 1_000} s: ${missing}`);
      if (now - sent.at > LONGEST_MS)
        throw new Error(`the work did not finish within ${LONGEST_MS / 1_000} s: ${missing}`);
    }
    await (sent ? pause(LOOK_EVERY_MS) : Promise.race([load, pause(LOOK_WHILE_SENDING_MS)]));
  }
  throw failure;
}

function describe(queues: QueueStates, { decided, settled }: ReceiverReport['submissions']): string {
  const waiting = Object.entries(queues)
    .filter(([, state]) => state.waiting > 0)
    .map(([name, state]) => `${state.waiting} ${name}`);
  return `${decided} decided and ${settled} billed by webhook; waiting: ${waiting.join(', ') || 'nothing'}`;
}
