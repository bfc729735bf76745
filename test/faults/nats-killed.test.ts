import { everythingEndedOnce } from '../harness/invariants.ts';
import { moreTaken, startLoad } from '../harness/load.ts';
import { deleteNatsStorage, everythingReady, loseStream, pidOf, whileDown } from '../harness/processes.ts';
import { supplier } from '../harness/suppliers.ts';

const alpha = supplier('alpha', 'production');
const SERVICES = ['account', 'submission', 'billing', 'webhook', 'gateway', 'production'];
const RECOVERY_MS = 180_000;

beforeEach(everythingReady);

describe('NATS killed under a stream of creates', () => {
  it('does not keep a create from its 202, and after its return everything is decided, billed and delivered', async () => {
    const load = startLoad(alpha);
    await moreTaken(load, 30);
    await whileDown('nats', async (nats) => {
      await moreTaken(load, 60);
      await nats.bringBack();
      await moreTaken(load, 20);
    });
    const stories = await load.stop();
    expect(stories.filter(({ statuses }) => statuses.join() !== '202')).toEqual([]);
    await everythingEndedOnce(alpha, stories, RECOVERY_MS);
  }, 120_000);

  it('and its storage deleted while down: the same, without anyone asking', async () => {
    const before = SERVICES.map(pidOf);
    const load = startLoad(alpha);
    await moreTaken(load, 30);
    await whileDown('nats', async (nats) => {
      await moreTaken(load, 30);
      deleteNatsStorage();
      await moreTaken(load, 30);
      await nats.bringBack();
    });
    const stories = await load.stop();
    expect(stories.filter(({ statuses }) => statuses.join() !== '202')).toEqual([]);
    await everythingEndedOnce(alpha, stories, RECOVERY_MS);
    // Nobody was restarted for it.
    expect(SERVICES.map(pidOf)).toEqual(before);

    const after = startLoad(alpha);
    await moreTaken(after, 10);
    await everythingEndedOnce(alpha, await after.stop(), RECOVERY_MS);
  }, 150_000);
});

describe('the stream of submissions, lost under a stream of creates while everything runs', () => {
  it.each(['DELETE', 'PURGE'] as const)(
    '%s: everything is decided, billed and delivered once',
    async (how) => {
      const load = startLoad(alpha);
      await moreTaken(load, 40);
      await loseStream(how, 'SUBMISSION');
      await moreTaken(load, 40);
      const stories = await load.stop();
      expect(stories.filter(({ statuses }) => statuses.join() !== '202')).toEqual([]);
      await everythingEndedOnce(alpha, stories, RECOVERY_MS);
    },
    120_000,
  );
});
