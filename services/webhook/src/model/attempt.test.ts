import type { EndpointId, EventId } from '@supplier/lib/text/ids';
import {
  endOf,
  errorOfStatus,
  interrupted,
  MAXIMUM_ATTEMPTS,
  nextAttemptAt,
  RETRY_DELAYS,
  type StartedAttempt,
  verdictOn,
} from './attempt.ts';

const START = new Date('2026-11-20T10:00:00.000Z');
const middle = () => 0.5;

describe('retry schedule', () => {
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

  it('puts the last attempt two and a half hours after the first without jitter and with instant attempts', () => {
    let at = START;
    for (let number = 1; number < MAXIMUM_ATTEMPTS; number += 1) {
      at = nextAttemptAt(number, at, middle) ?? at;
    }
    expect(at.getTime() - START.getTime()).toBe(2.5 * 3_600_000);
  });

  it('varies every gap by at most a fifth in either direction', () => {
    RETRY_DELAYS.seconds.forEach((seconds, index) => {
      const shortest = nextAttemptAt(index + 1, START, () => 0);
      const longest = nextAttemptAt(index + 1, START, () => 0.999999);
      expect(Number(shortest) - Number(START)).toBe(seconds * 800);
      expect(Number(longest) - Number(START)).toBeLessThanOrEqual(seconds * 1_200);
      expect(Number(longest) - Number(START)).toBeGreaterThan(seconds * 1_199);
    });
  });
});

describe('verdict on an attempt', () => {
  it('delivers on success, including the last attempt', () => {
    expect(verdictOn({ number: 1, endedAt: START, error: undefined }, middle)).toEqual({
      state: 'delivered',
    });
    expect(verdictOn({ number: 8, endedAt: START, error: undefined }, middle)).toEqual({
      state: 'delivered',
    });
  });

  it('schedules the next attempt after a failure', () => {
    expect(verdictOn({ number: 2, endedAt: START, error: 'timeout' }, middle)).toEqual({
      state: 'pending',
      nextAttemptAt: new Date('2026-11-20T10:00:45.000Z'),
    });
  });

  it('exhausts the event with the eighth failure of any class', () => {
    expect(verdictOn({ number: 8, endedAt: START, error: 'interrupted' }, middle)).toEqual({
      state: 'exhausted',
    });
    expect(verdictOn({ number: 8, endedAt: START, error: 'status' }, middle)).toEqual({ state: 'exhausted' });
  });
});

const started: StartedAttempt = {
  eventId: '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a10' as EventId,
  endpointId: '0193a1f0-5b7e-7c4e-9a55-0d9c1f6b2a11' as EndpointId,
  number: 2,
  startedAt: START,
  keyFingerprint: '78488485',
};
const after = (ms: number) => new Date(START.getTime() + ms);

describe('end of an attempt', () => {
  it('is its start plus its duration, in whole milliseconds', () => {
    expect(endOf(started, 12.6)).toEqual(after(13));
  });
});

describe('interrupted attempt', () => {
  it('counts as an attempt, records no response, and is followed by the next attempt on schedule', () => {
    expect(interrupted(started, after(9_000), middle)).toEqual({
      ...started,
      endedAt: after(9_000),
      error: 'interrupted',
      verdict: { state: 'pending', nextAttemptAt: after(9_000 + 45_000) },
    });
  });

  it('schedules the next attempt from a time that is closer to its real end', () => {
    expect(interrupted(started, after(9_000), middle, after(1_000))).toMatchObject({
      endedAt: after(9_000),
      verdict: { state: 'pending', nextAttemptAt: after(1_000 + 45_000) },
    });
  });

  it('exhausts its event if it was the last', () => {
    expect(interrupted({ ...started, number: 8 }, after(1), middle).verdict).toEqual({ state: 'exhausted' });
  });
});

describe('status line', () => {
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
