import type { LeadCounts } from '../side-processes.ts';
import { monotonicMs } from './monotonic.ts';
import type { QueueStates } from './queues.ts';
import { watch } from './watch.ts';

const STALLED_MS = 1_200;

/** A system that stands in for the stack: webhooks that came, and what waits, at each look. */
function system(look: (index: number) => { leads: LeadCounts; queues: QueueStates }) {
  let looks = 0;
  return {
    bench: { pids: () => ({}), progress: () => undefined },
    receiver: {
      report: async () => ({
        requests: 0,
        distinct: 0,
        genuine: 0,
        forged: 0,
        arrivals: [],
        leads: look(looks).leads,
      }),
    },
    lookAtQueues: async () => {
      looks += 1;
      return look(looks).queues;
    },
    sizes: { memoryEveryMs: 1_000, stalledMs: STALLED_MS },
  };
}

const queue = (waiting: number): QueueStates => ({ 'undecided leads': { waiting, oldestMs: waiting * 10 } });
const counts = (all: number): LeadCounts => ({ decided: all, settled: all });

describe('watch', () => {
  it.each([
    ['leads', 4, 2],
    ['queues', 2, 4],
  ])(
    'waits until every lead is settled and every queue is empty, where %s are last',
    async (_what, settledAt, emptyAt) => {
      const watching = watch(
        system((index) => ({
          leads: counts(index < settledAt ? 2 : 3),
          queues: queue(index < emptyAt ? 1 : 0),
        })),
        'a run',
      );
      const drained = await watching.drained(3, monotonicMs());
      await watching.stop();
      expect(drained).toEqual({ drainMs: expect.any(Number) });
      expect(watching.samples).toHaveLength(4);
    },
  );

  it('gives up with a sentence that says what is missing when nothing moves', async () => {
    const watching = watch(
      system(() => ({ leads: counts(2), queues: queue(1) })),
      'a run',
    );
    const drained = await watching.drained(3, monotonicMs());
    await watching.stop();
    expect(drained).toEqual({
      stalled:
        'nothing has moved for 1.2 s: a run: of 3 leads, 2 decided and 2 billed by webhook; waiting: 1 undecided leads',
    });
  });

  it('gives up at once when the system cannot be looked at', async () => {
    const broken = system(() => {
      throw new Error('the database is away');
    });
    const watching = watch(broken, 'a run');
    expect(await watching.drained(1, monotonicMs())).toEqual({ stalled: 'a run: the database is away' });
    await watching.stop();
  });
});
