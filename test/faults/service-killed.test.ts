import { everythingEndedOnce } from '../harness/invariants.ts';
import { moreTaken, type Story, startLoad } from '../harness/load.ts';
import { everythingReady, kill, restarted, whileDown } from '../harness/processes.ts';
import { supplier } from '../harness/suppliers.ts';

const alpha = supplier('alpha', 'production');
const PROCESSES = ['account', 'submission', 'billing', 'webhook', 'production'];
// Interrupted work is repeated when its lease, or the first retry delay, has expired.
const RECOVERY_MS = 180_000;

beforeEach(everythingReady);

describe('a process killed during continuous creates', () => {
  const stories = new Map<string, Story[]>();

  it.each(PROCESSES)('%s: creates succeed again once it is back', async (name) => {
    const load = startLoad(alpha);
    await moreTaken(load, 30);
    const pid = await kill(name);
    await restarted(name, pid);
    await moreTaken(load, 30);
    stories.set(name, await load.stop());
  });

  // Checked after all the kills, so that their recoveries run in parallel.
  it.each(PROCESSES)(
    '%s: nothing is lost and nothing is done twice',
    async (name) => {
      await everythingEndedOnce(alpha, stories.get(name) ?? [], RECOVERY_MS);
    },
    RECOVERY_MS * 1.5,
  );
});

describe('a process killed between its commit and its publication', () => {
  it(
    'submission: changes committed while NATS was away are published by its successor',
    async () => {
      const load = startLoad(alpha);
      await whileDown('nats', async (nats) => {
        await moreTaken(load, 30);
        await load.stop();
        const pid = await kill('submission');
        await nats.bringBack();
        await restarted('submission', pid);
      });
      await everythingEndedOnce(alpha, await load.stop(), RECOVERY_MS);
    },
    RECOVERY_MS * 2,
  );
});
