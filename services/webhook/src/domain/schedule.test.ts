import { MAXIMUM_ATTEMPTS, nextAttemptAt, RETRY_GAPS_SECONDS } from './schedule.ts';

const START = new Date('2026-11-20T10:00:00.000Z');
const middle = () => 0.5;

describe('the retry schedule', () => {
  it('allows eight attempts', () => {
    expect(MAXIMUM_ATTEMPTS).toBe(8);
  });

  it.each([
    [1, 15],
    [2, 45],
    [3, 120],
    [4, 420],
    [5, 1_200],
    [6, 3_600],
    [7, 3_600],
  ])('waits after failed attempt %i for %i s', (number, seconds) => {
    expect(nextAttemptAt(number, START, middle)).toEqual(new Date(START.getTime() + seconds * 1_000));
  });

  it('ends after the eighth attempt', () => {
    expect(nextAttemptAt(8, START, middle)).toBeUndefined();
    expect(nextAttemptAt(9, START, middle)).toBeUndefined();
  });

  it('puts the last attempt two and a half hours after the first when no jitter falls and attempts take no time', () => {
    let at = START;
    for (let number = 1; number < MAXIMUM_ATTEMPTS; number += 1) {
      at = nextAttemptAt(number, at, middle) ?? at;
    }
    expect(at.getTime() - START.getTime()).toBe(2.5 * 3_600_000);
  });

  it('spreads every gap by a fifth to either side and never further', () => {
    RETRY_GAPS_SECONDS.forEach((seconds, index) => {
      const least = nextAttemptAt(index + 1, START, () => 0);
      const most = nextAttemptAt(index + 1, START, () => 0.999999);
      expect(Number(least) - Number(START)).toBe(seconds * 800);
      expect(Number(most) - Number(START)).toBeLessThanOrEqual(seconds * 1_200);
      expect(Number(most) - Number(START)).toBeGreaterThan(seconds * 1_199);
    });
  });
});
