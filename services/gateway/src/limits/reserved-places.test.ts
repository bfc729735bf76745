import { ReservedPlaces } from './reserved-places.ts';

const MAX = 3_200;
const UNTIL_MS = 5_000;
const limitOf = (max: number) => ({ key: 'key', max, windowMs: 60_000 });

/** Ten places for a key with this allowance, until five seconds. */
function holding(max = MAX) {
  const places = new ReservedPlaces();
  places.take(limitOf(max), 0);
  places.keep('key', max, { places: 10, slice: 7, untilMs: UNTIL_MS, used: 0 });
  return places;
}

it.each([
  ['the allowance they were reserved under', limitOf(MAX), UNTIL_MS - 1, true],
  ['a lowered allowance', limitOf(MAX - 1), UNTIL_MS - 1, false],
  ['an allowance lowered so that keys are counted one by one', limitOf(999), UNTIL_MS - 1, false],
  ['a raised allowance', limitOf(MAX * 2), UNTIL_MS - 1, false],
  ['another key', { ...limitOf(MAX), key: 'other' }, UNTIL_MS - 1, false],
  ['the time at which their slice ends', limitOf(MAX), UNTIL_MS, false],
])('reserved places under %s: %j at %d ms pass=%s', (_, limit, nowMs, passes) => {
  expect(holding().take(limit, nowMs)).toBe(passes);
});

it('places pass as many requests as were reserved, and go back when the allowance changes', () => {
  const places = holding();
  expect(Array.from({ length: 12 }, () => places.take(limitOf(MAX), 1)).filter(Boolean)).toHaveLength(10);
  const unused = holding();
  unused.take(limitOf(MAX), 1);
  unused.keep('key', MAX / 2, { places: 0, slice: 7, untilMs: UNTIL_MS, used: 0 });
  expect(unused.collectUnused(2)).toEqual([{ key: 'key', slice: 7, places: 9 }]);
  expect(unused.take(limitOf(MAX), 3)).toBe(false);
});
