import { errorOfStatus, verdictOn } from './verdict.ts';

const endedAt = new Date('2026-11-20T10:00:00.000Z');
const middle = () => 0.5;

describe('the verdict on an attempt', () => {
  it('delivers on success, the last attempt included', () => {
    expect(verdictOn({ number: 1, endedAt, error: undefined }, middle)).toEqual({ state: 'delivered' });
    expect(verdictOn({ number: 8, endedAt, error: undefined }, middle)).toEqual({ state: 'delivered' });
  });

  it('schedules the next attempt after a failure', () => {
    expect(verdictOn({ number: 2, endedAt, error: 'timeout' }, middle)).toEqual({
      state: 'pending',
      nextAttemptAt: new Date('2026-11-20T10:00:45.000Z'),
    });
  });

  it('exhausts the event with the eighth failure, whatever its class', () => {
    expect(verdictOn({ number: 8, endedAt, error: 'interrupted' }, middle)).toEqual({ state: 'exhausted' });
    expect(verdictOn({ number: 8, endedAt, error: 'status' }, middle)).toEqual({ state: 'exhausted' });
  });
});

describe('a status line', () => {
  it.each([200, 201, 202, 204, 299])('%i is success', (code) => {
    expect(errorOfStatus(code)).toBeUndefined();
  });

  it.each([199, 300, 301, 302, 304, 307, 308, 400, 401, 404, 410, 429, 500, 503, 599])(
    '%i is a failure',
    (code) => {
      expect(errorOfStatus(code)).toBe('status');
    },
  );
});
