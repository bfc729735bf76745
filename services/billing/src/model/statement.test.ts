import type { Month } from './month.ts';
import { closingRefusal, sumOf } from './statement.ts';

const NOTHING = { charges: 0, chargedPence: 0, credits: 0, creditedPence: 0, unpriced: 0 };

describe('sumOf', () => {
  it('returns zeros without lines', () => {
    expect(sumOf({})).toEqual(NOTHING);
  });

  it('adds up each amount across billing models', () => {
    const byModel = {
      accepted_submission: { charges: 3, chargedPence: 7_500, credits: 2, creditedPence: 5_000, unpriced: 1 },
      application_created: { charges: 1, chargedPence: 4_000, credits: 1, creditedPence: 900, unpriced: 4 },
    };
    expect(sumOf(byModel)).toEqual({
      charges: 4,
      chargedPence: 11_500,
      credits: 3,
      creditedPence: 5_900,
      unpriced: 5,
    });
  });
});

describe('closingRefusal', () => {
  const ready = { hasEnded: true, earlierOpen: undefined, unpriced: 0, allowUnpriced: false };

  it.each([
    ['every line has a price', {}],
    ['allow_unpriced is set and lines have no price', { unpriced: 2, allowUnpriced: true }],
  ])('allows closing after the end of the month when %s', (_when, found) => {
    expect(closingRefusal({ ...ready, ...found })).toBeUndefined();
  });

  it.each([
    ['before its end', { hasEnded: false }, /has not ended/],
    ['while an earlier month is open', { earlierOpen: '2026-09' as Month }, /Close 2026-09 first/],
    ['while one line has no price', { unpriced: 1 }, /^1 lines .* have no price/],
    [
      'before its end, even with allow_unpriced',
      { hasEnded: false, unpriced: 2, allowUnpriced: true },
      /has not ended/,
    ],
    [
      'while an earlier month is open, even with allow_unpriced',
      { earlierOpen: '2026-09' as Month, unpriced: 2, allowUnpriced: true },
      /Close 2026-09 first/,
    ],
  ])('rejects closing %s', (_when, found, reason) => {
    expect(closingRefusal({ ...ready, ...found })).toMatch(reason);
  });
});
