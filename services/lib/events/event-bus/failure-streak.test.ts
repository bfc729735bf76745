import { startTestProcess } from '../../testing/index.ts';
import { failureStreak, unstoredFailures } from './failure-streak.ts';

const MAX_PAUSE_MS = 30_000;

/** Returns the length of the next pause, in steps of 250 ms. */
async function pauseMs(paced: { pause(): Promise<void> }): Promise<number> {
  let over = false;
  void paced.pause().then(() => {
    over = true;
  });
  await jest.advanceTimersByTimeAsync(0);
  let ms = 0;
  for (; !over && ms <= MAX_PAUSE_MS; ms += 250) await jest.advanceTimersByTimeAsync(250);
  return ms;
}

describe('failureStreak', () => {
  let streak: ReturnType<typeof failureStreak>;
  beforeEach(() => {
    jest.useFakeTimers();
    streak = failureStreak(startTestProcess('test'), 'tester');
  });
  afterEach(() => jest.useRealTimers());

  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) streak.failed();
  };
  it('causes no pause below 64 failures', async () => {
    fail(63);
    expect(await pauseMs(streak)).toBe(0);
    streak.succeeded();
    fail(63);
    expect(await pauseMs(streak)).toBe(0);
  });

  it('causes pauses that grow to half a minute', async () => {
    fail(64);
    const pauses: number[] = [];
    for (let pause = 0; pause < 9; pause += 1) pauses.push(await pauseMs(streak));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, MAX_PAUSE_MS, MAX_PAUSE_MS]);
  });

  it('ends with a success, which also ends the pause', async () => {
    fail(64);
    const pause = streak.pause();
    streak.succeeded();
    await pause;
    expect(await pauseMs(streak)).toBe(0);
    fail(64);
    expect(await pauseMs(streak)).toBe(250);
  });
});

describe('unstoredFailures', () => {
  let unstored: ReturnType<typeof unstoredFailures>;
  let told: number;
  beforeEach(() => {
    jest.useFakeTimers();
    unstored = unstoredFailures(startTestProcess('test'));
    told = 0;
  });
  afterEach(() => jest.useRealTimers());

  /** Fails `times` times and returns the length of the following pause and the number of reports. */
  async function fail(times = 1): Promise<[number, number]> {
    told = 0;
    for (let time = 0; time < times; time += 1)
      unstored.failed(() => {
        told += 1;
      });
    return [await pauseMs(unstored), told];
  }

  it('causes one pause for any number of failures and none without a failure', async () => {
    expect(await fail(64)).toEqual([1_000, 1]);
    expect(await pauseMs(unstored)).toBe(0);
  });

  it('causes pauses that grow to half a minute, and reports each of those pauses', async () => {
    const pauses = [];
    for (let time = 0; time < 7; time += 1) pauses.push(await fail());
    expect(pauses).toEqual([
      [1_000, 1],
      [2_000, 0],
      [4_000, 0],
      [8_000, 0],
      [16_000, 0],
      [MAX_PAUSE_MS, 1],
      [MAX_PAUSE_MS, 1],
    ]);
  });

  it('restarts the pauses after a success and reports at most twice a minute', async () => {
    for (let time = 0; time < 4; time += 1) await fail();
    unstored.over();
    expect(await fail()).toEqual([1_000, 0]);
    await jest.advanceTimersByTimeAsync(MAX_PAUSE_MS);
    unstored.over();
    expect(await fail()).toEqual([1_000, 1]);
  });
});
