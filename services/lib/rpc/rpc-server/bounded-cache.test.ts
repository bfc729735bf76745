import { BoundedCache } from './bounded-cache.ts';

const KiB = 1024;
const remembered = (maxBytes: number) =>
  new BoundedCache<{ bytes: number }>({ maxBytes, sizeOf: ({ bytes }) => bytes });

it('BoundedCache returns the value stored for a text, and nothing for another', () => {
  const values = remembered(64 * KiB);
  const value = { bytes: 100 };
  values.set('one', value);
  expect(values.get('one')).toBe(value);
  expect(values.get('two')).toBeUndefined();
});

it('BoundedCache never exceeds its byte limit and drops the least recently used first', () => {
  const values = remembered(64 * KiB);
  values.set('used', { bytes: KiB });
  for (let number = 0; number < 10_000; number += 1) {
    values.set(`${number}`, { bytes: KiB });
    expect(values.bytes).toBeLessThanOrEqual(64 * KiB);
    values.get('used');
  }
  expect(values.size).toBeLessThan(64);
  expect(values.get('used')).toBeDefined();
  expect(values.get('0')).toBeUndefined();
  values.set('huge', { bytes: 65 * KiB });
  expect(values.get('huge')).toBeUndefined();
});

it('BoundedCache does not retain the texts', () => {
  const values = remembered(64 * KiB);
  for (let number = 0; number < 20; number += 1) values.set(`${number}`.repeat(100_000), { bytes: 1 });
  expect(values.size).toBe(20);
  expect(values.bytes).toBeLessThan(16 * KiB);
});
