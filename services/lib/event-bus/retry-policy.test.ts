import { afterFailure } from './retry-policy.ts';

describe('afterFailure', () => {
  it('tries seven more times, ever later, and then gives up', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7].map((deliveries) => afterFailure(deliveries, false));
    const ms = waits.map((wait) => (wait === 'dead-letter' ? Number.NaN : wait.retryInMs));
    expect(ms).toEqual([...ms].sort((a, b) => a - b));
    expect(afterFailure(8, false)).toBe('dead-letter');
    expect(afterFailure(100, false)).toBe('dead-letter');
  });

  it('never gives up while the database is away', () => {
    expect(afterFailure(1_000, true)).toEqual({ retryInMs: expect.any(Number) });
  });
});
