import { randomBytes } from 'node:crypto';
import {
  newDataKey,
  placeOf,
  SEGMENT_BYTES,
  sealedSize,
  segmentOpener,
  segmentSealer,
} from './sealed-segments.ts';

const dataKey = newDataKey();
const plain = [randomBytes(SEGMENT_BYTES), randomBytes(SEGMENT_BYTES), randomBytes(100)];
const seal = segmentSealer(dataKey);
const sealed = plain.map((bytes, segment) => Buffer.concat(seal(bytes, segment === 2)));
const opened = (index: number, place: { segment: number; last: boolean }) =>
  segmentOpener(dataKey)(sealed[index] ?? Buffer.alloc(0), place);

describe('sealed segment', () => {
  it('opens in its position', () => {
    for (const [segment, bytes] of plain.entries())
      expect(opened(segment, { segment, last: segment === 2 }).equals(bytes)).toBe(true);
  });

  it('does not open in another position', () => {
    expect(() => opened(0, { segment: 1, last: false })).toThrow();
    expect(() => opened(1, { segment: 0, last: false })).toThrow();
  });

  it('opens neither as the last one when others follow it, nor as a middle one when it is the last', () => {
    expect(() => opened(1, { segment: 1, last: true })).toThrow();
    expect(() => opened(2, { segment: 2, last: false })).toThrow();
  });

  it('does not open under the key of another object', () => {
    const first = sealed[0] ?? Buffer.alloc(0);
    expect(() => segmentOpener(newDataKey())(first, { segment: 0, last: false })).toThrow();
  });
});

it.each([0, 1, SEGMENT_BYTES - 1, SEGMENT_BYTES, SEGMENT_BYTES + 1, 3 * SEGMENT_BYTES])(
  'covers %d bytes without gaps, and only the final segment counts as the last',
  (byteSize) => {
    let [end, segment] = [0, 0];
    for (;;) {
      const { start, length, last } = placeOf(segment, byteSize);
      expect(start).toBe(end);
      end += length;
      segment += 1;
      if (last) break;
    }
    expect(end).toBe(sealedSize(byteSize));
  },
);
