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
    ['goes on with the next', streak(1, 2n), [failed(5)], streak(1, 3n)],
    ['ends with a success after it', streak(1, 2n), [failed(5), succeeded(6)], undefined],
    ['begins again with a failure after a success', streak(1, 2n), [failed(6), succeeded(5)], streak(6, 1n)],
    ['ends with a success of the same moment', undefined, [succeeded(5), failed(5)], undefined],
    ['is none where all succeeds', undefined, [succeeded(1), succeeded(2)], undefined],
    ['stays as it is without attempts', streak(1, 2n), [], streak(1, 2n)],
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
