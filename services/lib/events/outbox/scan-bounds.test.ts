import { scanBounds } from './scan-bounds.ts';

describe('scanBounds', () => {
  it('starts after rows claimed over a second ago, and at the beginning once a second', () => {
    const bounds = scanBounds();
    const scan = (nowMs: number, through: bigint, more = false) => {
      const after = bounds.begin(nowMs);
      bounds.end(through, more);
      return after;
    };
    expect(scan(0, 100n)).toBe(0n);
    // A row committed later may lie next to the one just claimed.
    expect(scan(500, 200n)).toBe(0n);
    expect(scan(1_000, 300n)).toBe(0n);
    expect(scan(1_500, 300n)).toBe(0n);
    expect(scan(2_000, 400n)).toBe(0n);
    expect(scan(2_100, 400n)).toBe(200n);
    expect(scan(2_999, 400n)).toBe(200n);
    expect(scan(3_000, 400n)).toBe(0n);
    expect(scan(3_100, 400n)).toBe(300n);
  });

  it('continues after a full batch and restarts after a failure', () => {
    const bounds = scanBounds();
    expect(bounds.begin(0)).toBe(0n);
    bounds.end(256n, true);
    expect(bounds.begin(10)).toBe(256n);
    bounds.end(300n, false);
    expect(bounds.begin(20)).toBe(0n);
    for (const nowMs of [1_000, 2_000, 3_000]) {
      bounds.begin(nowMs);
      bounds.end(300n, false);
    }
    expect(bounds.begin(3_010)).toBe(300n);
    bounds.reset();
    expect(bounds.begin(3_020)).toBe(0n);
  });
});
