import { startTestProcess } from '@supplier/lib/testing';
import type { Sessions } from './sessions.ts';
import { watchEnds } from './watch-ends.ts';

it('streams outlast any number of short failures, and end after 30 seconds of one', async () => {
  jest.useFakeTimers();
  try {
    let [fails, stopped] = [false, false];
    const sessions = {
      async stopEnded() {
        if (fails) throw new Error('no database');
      },
      stopStreams() {
        stopped = true;
      },
    } as Partial<Sessions> as Sessions;
    const stop = watchEnds(sessions, startTestProcess('console').log, Date.now);
    for (let time = 0; time < 3; time += 1) {
      fails = true;
      await jest.advanceTimersByTimeAsync(28_000);
      fails = false;
      await jest.advanceTimersByTimeAsync(2_000);
    }
    expect(stopped).toBe(false);
    fails = true;
    await jest.advanceTimersByTimeAsync(31_000);
    expect(stopped).toBe(true);
    stop();
  } finally {
    jest.useRealTimers();
  }
});
