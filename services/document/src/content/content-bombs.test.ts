import { crc32 } from 'node:zlib';
import { SAMPLE_FILES } from '../../testing/sample-files.ts';
import { contentCheck } from './content-check.ts';

const ruleFor = async (type: string, bytes: Uint8Array) => {
  const check = contentCheck(type);
  check.take(bytes);
  return (await check.fault())?.rule;
};
const matches = async (type: string, bytes: Uint8Array) => {
  const check = contentCheck(type);
  for (let at = 0; at < bytes.length; at += 65_536) check.take(bytes.subarray(at, at + 65_536));
  return (await check.fault()) === undefined;
};

describe('PNG size limits', () => {
  const whole = SAMPLE_FILES['image/png'];
  const [HEADER_AT, HEADER_BYTES] = [16, 13];
  const behindHeader = HEADER_AT + HEADER_BYTES + 4;
  const withChunks = (count: number) => {
    const empty = Buffer.alloc(12);
    empty.write('teXt', 4);
    empty.writeUInt32BE(crc32('teXt'), 8);
    const chunks = Buffer.alloc(count * empty.length, empty);
    return Buffer.concat([whole.subarray(0, behindHeader), chunks, whole.subarray(behindHeader)]);
  };
  const ofSize = (width: number, height: number) => {
    const bytes = Buffer.from(whole);
    bytes.writeUInt32BE(width, HEADER_AT);
    bytes.writeUInt32BE(height, HEADER_AT + 4);
    bytes.writeUInt32BE(crc32(bytes.subarray(HEADER_AT - 4, HEADER_AT + HEADER_BYTES)), behindHeader - 4);
    return bytes;
  };

  it('rejects a PNG with more than 100,000 chunks', async () => {
    const inSample = 3;
    expect(await matches('image/png', withChunks(100_000 - inSample))).toBe(true);
    expect(await ruleFor('image/png', withChunks(100_001 - inSample))).toBe('picture-too-large');
  });

  it('rejects a PNG with more than 268 million pixels', async () => {
    expect(await matches('image/png', ofSize(16_384, 16_384))).toBe(true);
    expect(await ruleFor('image/png', ofSize(16_385, 16_384))).toBe('picture-too-large');
    expect(await matches('image/png', ofSize(1, 2 ** 32 - 1))).toBe(false);
  });
});

describe('JPEG size limits', () => {
  const whole = SAMPLE_FILES['image/jpeg'];
  const withInside = (more: Uint8Array) => Buffer.concat([whole.subarray(0, 2), more, whole.subarray(2)]);
  const repeated = (hex: string, count: number) => Buffer.alloc((count * hex.length) / 2, hex, 'hex');
  const [COMMENT, SCAN] = ['fffe0002', 'ffda00023f'];
  const inSample = 2;

  it('rejects a JPEG with more than 10,000 segments across all pictures', async () => {
    const half = withInside(repeated(COMMENT, 5_000 - inSample));
    expect(await matches('image/jpeg', withInside(repeated(COMMENT, 10_000 - inSample)))).toBe(true);
    expect(await ruleFor('image/jpeg', withInside(repeated(COMMENT, 10_001 - inSample)))).toBe(
      'picture-too-large',
    );
    expect(await matches('image/jpeg', Buffer.concat([half, half]))).toBe(true);
    expect(await matches('image/jpeg', Buffer.concat([half, half, whole]))).toBe(false);
  });

  it('rejects a JPEG with a picture of more than 100 scans', async () => {
    const full = withInside(repeated(SCAN, 100));
    expect(await matches('image/jpeg', Buffer.concat([full, full]))).toBe(true);
    expect(await ruleFor('image/jpeg', withInside(repeated(SCAN, 101)))).toBe('picture-too-large');
  });

  it.each(['c0', 'c2', 'cf'])(
    'rejects a JPEG with more than 268 million pixels in a frame of %s',
    async (code) => {
      const frame = (width: number, height: number) => {
        const bytes = Buffer.from(`ff${code}000b080000000001ffff11`, 'hex').fill(1, 9);
        bytes.writeUInt16BE(height, 5);
        bytes.writeUInt16BE(width, 7);
        return withInside(bytes);
      };
      for (const chunkBytes of [1, 65_536]) {
        const check = contentCheck('image/jpeg');
        const bytes = frame(16_385, 16_384);
        for (let at = 0; at < bytes.length; at += chunkBytes) check.take(bytes.subarray(at, at + chunkBytes));
        expect(await check.fault()).toBeDefined();
      }
      expect(await matches('image/jpeg', frame(16_384, 16_384))).toBe(true);
    },
  );
});
