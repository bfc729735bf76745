import { enquiry } from '../harness/enquiries.ts';
import { everythingEndedOnce } from '../harness/invariants.ts';
import { moreTaken, startLoad } from '../harness/load.ts';
import { everythingReady, pidOf, postgresAnswers, whileDown } from '../harness/processes.ts';
import { refusalOf } from '../harness/responses.ts';
import { created, supplier } from '../harness/suppliers.ts';
import { timed } from '../harness/timing.ts';
import { waitFor } from '../harness/wait.ts';

const alpha = supplier('alpha', 'production');
const SERVICES = ['account', 'submission', 'document', 'billing', 'webhook', 'gateway', 'production'];
const PATIENCE_MS = 5_000;
const RECOVERY_MS = 15_000;

beforeEach(everythingReady);

describe('PostgreSQL stopped', () => {
  it('requests get 503 within 5 s and no worse error, and succeed again 15 s after its return', async () => {
    const { submission_id } = await created(alpha, enquiry());
    const pids = SERVICES.map(pidOf);
    const load = startLoad(alpha);
    await moreTaken(load, 30);
    await whileDown('postgres', async (postgres) => {
      // Many concurrent requests, so that some of them wait for a connection.
      const bodies = Array.from({ length: 40 }, () => enquiry());
      const refused = await Promise.all(
        [...bodies.map((body) => () => alpha.create(body)), () => alpha.read(submission_id)].map(timed),
      );
      for (const { answer, ms } of refused) {
        expect(refusalOf(answer, 503).code).toBe('service_unavailable');
        expect(ms).toBeLessThan(PATIENCE_MS);
      }
      await postgres.bringBack();
    });
    await postgresAnswers();
    const taken = () =>
      waitFor('a create to be taken again', () => created(alpha, enquiry()), { throughErrors: true });
    expect((await timed(taken)).ms).toBeLessThan(RECOVERY_MS);
    await moreTaken(load, 20);
    const stories = await load.stop();

    // The load that continued meanwhile got no error other than 503, and none later than after 5 s.
    const statuses = new Set(stories.flatMap((story) => story.statuses));
    expect([...statuses].filter((status) => ![200, 202, 503].includes(status))).toEqual([]);
    expect(Math.max(...stories.map((story) => story.slowestMs))).toBeLessThan(PATIENCE_MS);
    await everythingEndedOnce(alpha, stories, 180_000);
    // A process that crashes with its database would otherwise pass for recovered.
    expect(SERVICES.map(pidOf)).toEqual(pids);
  }, 150_000);
});
