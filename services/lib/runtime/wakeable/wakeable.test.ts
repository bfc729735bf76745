import { wakeable } from './index.ts';

const forever = 1_000_000;

describe('wakeable', () => {
  it('wakes while it sleeps', async () => {
    const sleeper = wakeable(new AbortController().signal);
    const rest = sleeper.sleep(forever);
    sleeper.wake();
    await rest;
  });

  it('does not lose a wake-up between two pauses', async () => {
    const sleeper = wakeable(new AbortController().signal);
    sleeper.wake();
    await sleeper.sleep(forever);
  });

  it('does not sleep once the process stops', async () => {
    const stopping = new AbortController();
    const sleeper = wakeable(stopping.signal);
    const rest = sleeper.sleep(forever);
    stopping.abort();
    await rest;
    await sleeper.sleep(forever);
  });
});
