import { startTestProcess } from '../../testing/index.ts';
import {
  type FailureStreak,
  failureStreak,
  type UnstoredFailures,
  unstoredFailures,
} from './failure-streak.ts';

const MAX_PAUSE_MS = 30_000;

/** How long the next pause lasts, in steps of 250 ms. */
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

describe('a streak of failures', () => {
  let streak: FailureStreak;
  beforeEach(() => {
    jest.useFakeTimers();
    streak = failureStreak(startTestProcess('test'), 'tester');
  });
  afterEach(() => jest.useRealTimers());

  const fail = (times: number) => {
    for (let time = 0; time < times; time += 1) streak.failed();
  };
  it('is none below 64', async () => {
    fail(63);
    expect(await pauseMs(streak)).toBe(0);
    streak.succeeded();
    fail(63);
    expect(await pauseMs(streak)).toBe(0);
  });

  it('brings pauses that grow to half a minute', async () => {
    fail(64);
    const pauses: number[] = [];
    for (let pause = 0; pause < 9; pause += 1) pauses.push(await pauseMs(streak));
    expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, MAX_PAUSE_MS, MAX_PAUSE_MS]);
  });

  it('ends with a success, and the pause with it', async () => {
    fail(64);
    const pause = streak.pause();
    streak.succeeded();
    await pause;
    expect(await pauseMs(streak)).toBe(0);
  });
});

describe('failures that cannot be stored', () => {
  let unstored: UnstoredFailures;
  let told: number;
  beforeEach(() => {
    jest.useFakeTimers();
    unstored = unstoredFailures(startTestProcess('test'));
    told = 0;
  });
  afterEach(() => jest.useRealTimers());

  /** Some fail, and a pause follows: how long it lasts, and how often they were reported. */
  async function fail(times = 1): Promise<[number, number]> {
    told = 0;
    for (let time = 0; time < times; time += 1)
      unstored.failed(() => {
        told += 1;
      });
    return [await pauseMs(unstored), told];
  }

  it('bring one pause, however many they are, and none follows what does not fail', async () => {
    expect(await fail(64)).toEqual([1_000, 1]);
    expect(await pauseMs(unstored)).toBe(0);
  });

  it('bring pauses that grow to half a minute, and are reported again at each of those', async () => {
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

  it('begin again after a success, reported at most twice a minute', async () => {
    for (let time = 0; time < 4; time += 1) await fail();
    unstored.over();
    expect(await fail()).toEqual([1_000, 0]);
    await jest.advanceTimersByTimeAsync(MAX_PAUSE_MS);
    unstored.over();
    expect(await fail()).toEqual([1_000, 1]);
  });
});
