import { everythingEndedOnce } from '../harness/invariants.ts';
import { moreTaken, type Story, startLoad } from '../harness/load.ts';
import { everythingReady, restarted, stop } from '../harness/processes.ts';
import { supplier } from '../harness/suppliers.ts';

const alpha = supplier('alpha', 'production');
const PROCESSES = ['account', 'submission', 'document', 'billing', 'webhook', 'production'];
/** A slower process is ended by its own deadline, after ten seconds. */
const STOPPED_WITHIN_MS = 8_000;
const RECOVERY_MS = 180_000;

beforeEach(everythingReady);

describe('a process asked to stop during continuous creates', () => {
  const stories = new Map<string, Story[]>();

  it.each(PROCESSES)(
    '%s: it shuts down gracefully in time, and requests that it cannot accept get 503',
    async (name) => {
      const load = startLoad(alpha);
      await moreTaken(load, 30);
      const { pid, tookMs, lastWords } = await stop(name);
      expect(lastWords).toContain('stopped');
      expect(lastWords).not.toContain('shutdown timed out');
      expect(lastWords).not.toContain('shutdown hook failed');
      expect(tookMs).toBeLessThan(STOPPED_WITHIN_MS);
      await restarted(name, pid);
      await moreTaken(load, 30);
      const told = await load.stop();
      stories.set(name, told);
      // 0 means that no gateway was listening. No connection broke during a request, and there was no other status.
      const statuses = new Set(told.flatMap((story) => story.statuses));
      expect([...statuses].filter((status) => ![0, 200, 202, 503].includes(status))).toEqual([]);
      if (name !== 'production') expect([...statuses]).not.toContain(0);
    },
  );

  // Checked after all the stops, so that the retries run in parallel.
  it.each(PROCESSES)(
    '%s: nothing is lost and nothing is done twice',
    async (name) => {
      await everythingEndedOnce(alpha, stories.get(name) ?? [], RECOVERY_MS);
    },
    RECOVERY_MS * 1.5,
  );
});
