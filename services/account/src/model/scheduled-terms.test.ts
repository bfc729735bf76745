import { create } from '@bufbuild/protobuf';
import { CapsSchema, ThresholdsSchema } from '@supplier/proto/common/v1/principal';
import { stateOf, timelineOf, whyNotFrom } from './scheduled-terms.ts';

const NOW = new Date('2026-11-20T12:00:00.000Z');
const DAY_MS = 86_400_000;
const fromNow = (ms: number) => new Date(NOW.getTime() + ms);

it('timelineOf puts the current terms first and orders scheduled terms by the time they take effect', () => {
  const termsFrom = (acceptedPerDay: number) => ({
    thresholds: create(ThresholdsSchema),
    caps: create(CapsSchema, { acceptedPerDay }),
  });
  const scheduled = [3, 1, 2].map((days) => ({ effectiveFrom: fromNow(days * DAY_MS), ...termsFrom(days) }));
  expect(timelineOf(termsFrom(0), scheduled, NOW)).toEqual(
    [0, 1, 2, 3].map((days) => ({ effectiveFrom: fromNow(days * DAY_MS), terms: termsFrom(days) })),
  );
});

describe('scheduled terms', () => {
  it.each([
    ['waiting', 'until a millisecond before their time', fromNow(1), null],
    ['effective', 'from their time on', NOW, null],
    ['effective', 'after their time', fromNow(-DAY_MS), null],
    ['cancelled', 'once cancelled', fromNow(DAY_MS), fromNow(-1)],
    ['cancelled', 'after their time when they were cancelled before it', fromNow(-1), fromNow(-DAY_MS)],
  ])('are %s %s', (state, _when, effectiveFrom, cancelledAt) => {
    expect(stateOf({ effectiveFrom, cancelledAt }, NOW)).toBe(state);
  });

  it.each([1, 366 * DAY_MS])('accepts terms that take effect %s ms from now', (ms) => {
    expect(whyNotFrom(fromNow(ms), NOW)).toBeUndefined();
  });

  it.each([
    [0, 'must be in the future: use UpdateAccount to change terms immediately'],
    [-1, 'must be in the future: use UpdateAccount to change terms immediately'],
    [366 * DAY_MS + 1, 'must be at most 366 days away'],
  ])('rejects terms that take effect %s ms from now', (ms, reason) => {
    expect(whyNotFrom(fromNow(ms), NOW)).toBe(reason);
  });
});
