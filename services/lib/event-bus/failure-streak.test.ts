import { startTestProcess } from '../testing/index.ts';
import { type FailureStreak, failureStreak } from './failure-streak.ts';

const MAX_PAUSE_MS = 30_000;

describe('a streak of failures', () => {
  let streak: FailureStreak;
  beforeEach(() => {
    import.meta.jest.useFakeTimers();
    streak = failureStreak(startTestProcess('test'), 'tester');
  });
  afterEach(() => import.meta.jest.useRealTimers());

  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) streak.failed();
  };
  /** How long the next pause lasts, in steps of 250 ms. */
  async function pauseMs(): Promise<number> {
    let over = false;
    void streak.pause().then(() => {
      over = true;
    });
    await import.meta.jest.advanceTimersByTimeAsync(0);
    let ms = 0;
    for (; !over && ms <= MAX_PAUSE_MS; ms += 250) await import.meta.jest.advanceTimersByTimeAsync(250);
    return ms;
  }

  it('is none below 64', async () => {
    fail(63);
    expect(await pauseMs()).toBe(0);
    streak.succeeded();
    fail(63);
    expect(await pauseMs()).toBe(0);
  });

  it('brings pauses that grow to half a minute', async () => {
    fail(64);
    const pauses: number[] = [];
    for (let pause = 0; pause < 9; pause += 1) pauses.push(await pauseMs());
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, MAX_PAUSE_MS, MAX_PAUSE_MS]);
  });

  it('ends with a success, and the pause with it', async () => {
    fail(64);
    const pause = streak.pause();
    streak.succeeded();
    await pause;
    expect(await pauseMs()).toBe(0);
  });
});
