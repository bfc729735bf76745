import { keepTokensFresh } from './token-issuer.ts';

const HOUR_MS = 60 * 60 * 1000;
const MINUTE_MS = 60 * 1000;

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('keepTokensFresh', () => {
  it('refreshes several times during the lifetime of a token', async () => {
    const refresh = jest.fn(async () => undefined);
    keepTokensFresh(refresh, { say: () => undefined, warn: () => undefined });
    await jest.advanceTimersByTimeAsync(3 * HOUR_MS);
    expect(refresh).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(9 * HOUR_MS);
    expect(refresh.mock.calls.length).toBeGreaterThanOrEqual(2);
  });

  it('retries and reports it a minute after a failed refresh', async () => {
    const warnings: string[] = [];
    const refresh = jest.fn(async (): Promise<void> => {
      throw new Error('disk full');
    });
    keepTokensFresh(refresh, { say: () => undefined, warn: (line) => void warnings.push(line) });
    await jest.advanceTimersByTimeAsync(4 * HOUR_MS + 2 * MINUTE_MS);
    expect(refresh.mock.calls.length).toBeGreaterThanOrEqual(2);
    expect(warnings[0]).toMatch(/disk full/);
  });
});
