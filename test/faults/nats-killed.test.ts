import { everythingEndedOnce } from '../harness/invariants.ts';
import { moreTaken, startLoad } from '../harness/load.ts';
import { deleteNatsStorage, everythingReady, loseStream, pidOf, whileDown } from '../harness/processes.ts';
import { supplier } from '../harness/suppliers.ts';

const alpha = supplier('alpha', 'production');
const SERVICES = ['account', 'submission', 'billing', 'webhook', 'gateway', 'production'];
const RECOVERY_MS = 180_000;

beforeEach(everythingReady);

describe('NATS killed during continuous creates', () => {
  it('creates still return 202, and everything recovers automatically even if its storage is deleted while it is down', async () => {
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
    // Nothing was restarted for this.
    expect(SERVICES.map(pidOf)).toEqual(before);

    const after = startLoad(alpha);
    await moreTaken(after, 10);
    await everythingEndedOnce(alpha, await after.stop(), RECOVERY_MS);
  }, 150_000);
});

describe('the submissions stream, lost during continuous creates while everything runs', () => {
  it('everything is decided, billed and delivered once', async () => {
    const load = startLoad(alpha);
    await moreTaken(load, 40);
    await loseStream('SUBMISSION');
    await moreTaken(load, 40);
    const stories = await load.stop();
    expect(stories.filter(({ statuses }) => statuses.join() !== '202')).toEqual([]);
    await everythingEndedOnce(alpha, stories, RECOVERY_MS);
  }, 120_000);
});
