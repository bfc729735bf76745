import { type FailureStreak, streakAfter } from './endpoint-streak.ts';

const at = (ms: number) => new Date(Date.UTC(2026, 10, 20, 10) + ms);
const failed = (ms: number) => ({ endedAt: at(ms), succeeded: false });
const succeeded = (ms: number) => ({ endedAt: at(ms), succeeded: true });
const streak = (ms: number, failedAttempts: bigint, notifiedAt?: Date): FailureStreak => ({
  failingSince: at(ms),
  failedAttempts,
  notifiedAt,
});

describe('failure streak', () => {
  it.each([
    ['begins with the first failure', undefined, [failed(2), failed(1)], streak(1, 2n)],
    ['continues with the next', streak(1, 2n), [failed(5)], streak(1, 3n)],
    ['ends with a success after it', streak(1, 2n), [failed(5), succeeded(6)], undefined],
    ['begins again with a failure after a success', streak(1, 2n), [failed(6), succeeded(5)], streak(6, 1n)],
    ['ends with a success at the same time', undefined, [succeeded(5), failed(5)], undefined],
    ['is empty while all attempts succeed', undefined, [succeeded(1), succeeded(2)], undefined],
    ['is unchanged without attempts', streak(1, 2n), [], streak(1, 2n)],
  ])('%s', (_name, before, endings, after) => {
    expect(streakAfter(before, endings)).toEqual({ streak: after, recovery: undefined });
  });

  it('ends with a recovery after operators were notified, even when the endpoint fails again immediately', () => {
    const notified = streak(1, 9n, at(100));
    expect(streakAfter(notified, [succeeded(200)])).toEqual({
      streak: undefined,
      recovery: { streak: notified, recoveredAt: at(200) },
    });
    expect(streakAfter(notified, [failed(150), succeeded(200), failed(210)])).toEqual({
      streak: streak(210, 1n),
      recovery: { streak: { ...notified, failedAttempts: 10n }, recoveredAt: at(200) },
    });
  });
});
