import { percentile, slopeOf } from './statistics.ts';

describe('percentile', () => {
  it('is a value that was measured', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0, 0.5, 0.95, 0.99, 1].map((part) => percentile(values, part))).toEqual([1, 50, 95, 99, 100]);
    expect(percentile([7], 0.5)).toBe(7);
    expect(percentile([], 0.5)).toBeNaN();
  });
});

describe('slopeOf', () => {
  it('is what a line rises by, and 0 of what does not rise', () => {
    expect(slopeOf([1, 2, 5].map((x) => ({ x, y: 3 * x + 4 })))).toBeCloseTo(3);
    expect(slopeOf([1, 2, 5].map((x) => ({ x, y: 4 })))).toBe(0);
    expect(slopeOf([{ x: 1, y: 1 }])).toBe(0);
  });
});
