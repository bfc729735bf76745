import { scanBounds } from './scan-bounds.ts';

describe('the scans of the outbox', () => {
  it('begin past what was claimed more than a second ago, and once a second at the beginning', () => {
    const bounds = scanBounds();
    const scan = (nowMs: number, through: bigint, more = false) => {
      const after = bounds.begin(nowMs);
      bounds.end(through, more);
      return after;
    };
    expect(scan(0, 100n)).toBe(0n);
    // What was claimed just now may have a neighbour that is committed later.
    expect(scan(500, 200n)).toBe(0n);
    expect(scan(1_000, 300n)).toBe(0n);
    expect(scan(1_500, 300n)).toBe(0n);
    expect(scan(2_000, 400n)).toBe(0n);
    expect(scan(2_100, 400n)).toBe(200n);
    expect(scan(2_999, 400n)).toBe(200n);
    expect(scan(3_000, 400n)).toBe(0n);
    expect(scan(3_100, 400n)).toBe(300n);
  });

  it('go on where a full batch ended, and begin again after a failure', () => {
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
