import type { Month } from './month.ts';
import { MAX_PRICED_AT_ONCE, type PriceSurroundings, whyNotFrom } from './price.ts';

const EFFECTIVE_FROM = new Date('2026-11-01T00:00:00.000Z');
const NOTHING_BILLED: PriceSurroundings = { closedThrough: undefined, charges: 0, anyPriced: false };
const closedThrough = (month: string) => ({ closedThrough: month as Month });

describe('whyNotFrom', () => {
  it.each<[string, Partial<PriceSurroundings>]>([
    ['before any month is closed', {}],
    ['from the first moment after a closed month', closedThrough('2026-10')],
    ['for as many unpriced submissions as one call can price', { charges: MAX_PRICED_AT_ONCE }],
  ])('lets a price take effect %s', (_when, found) => {
    expect(whyNotFrom(EFFECTIVE_FROM, { ...NOTHING_BILLED, ...found })).toBeUndefined();
  });

  it.each<[string, Partial<PriceSurroundings>, RegExp]>([
    ['within a closed month', closedThrough('2026-11'), /in a closed month/],
    ['before the end of a later closed month', closedThrough('2027-01'), /in a closed month/],
    [
      'for a time when submissions were already billed at a price',
      { charges: 1, anyPriced: true },
      /Choose a later time/,
    ],
    ['for more unpriced submissions than one call can price', { charges: 20_001 }, /More than 20000 lines/],
  ])('rejects a price %s', (_when, found, reason) => {
    expect(whyNotFrom(EFFECTIVE_FROM, { ...NOTHING_BILLED, ...found })).toMatch(reason);
  });

  it('rejects a price in the last millisecond of a closed month', () => {
    const lastMoment = new Date(EFFECTIVE_FROM.getTime() - 1);
    expect(whyNotFrom(lastMoment, { ...NOTHING_BILLED, ...closedThrough('2026-10') })).toMatch(
      /in a closed month/,
    );
  });
});
