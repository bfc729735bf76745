import { randomBytes } from 'node:crypto';
import { endOf, pack, xlsx, zip, zipOf } from '../../testing/zip-writer.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES, zipEntries } from './zip-directory.ts';

const archive = zip({ name: 'a.txt', data: Buffer.from('a') }, { name: 'b/c.txt', data: Buffer.from('c') });
/** Offsets of the directory, its second entry, and some fields of an entry. */
const DIRECTORY_BYTES = 46 + 5 + (46 + 7);
const DIRECTORY_AT = archive.length - 22 - DIRECTORY_BYTES;
const SECOND_AT = DIRECTORY_AT + 46 + 5;
const [PACKED, UNPACKED, OFFSET] = [20, 24, 42];
const entries = (bytes: Buffer, size = bytes.length) => zipEntries(bytes, size);
const names = (bytes: Buffer, size = bytes.length) => entries(bytes, size)?.map(({ name }) => name);

describe('zipEntries', () => {
  it('returns the compression method of each file', () => {
    expect(entries(archive)).toMatchObject([
      { name: 'a.txt', method: 8 },
      { name: 'b/c.txt', method: 8 },
    ]);
  });

  it('returns the offset of each file', () => {
    for (const { name, offset, packedBytes } of entries(archive) ?? []) {
      expect(archive.readUInt32LE(offset)).toBe(0x04034b50);
      expect(archive.readUInt32LE(offset + 18)).toBe(packedBytes);
      expect(archive.toString('latin1', offset + 30, offset + 30 + name.length)).toBe(name);
    }
  });

  it('lists an archive from its last bytes only', () => {
    expect(names(archive)).toEqual(['a.txt', 'b/c.txt']);
    expect(names(archive.subarray(-150), archive.length)).toEqual(['a.txt', 'b/c.txt']);
    expect(names(xlsx())).toContain('xl/workbook.xml');
  });

  it('returns no entries for an empty archive', () => {
    expect(names(endOf(0, 0, 0))).toEqual([]);
  });

  it('lists 10,000 entries and rejects 10,001', () => {
    const entry = pack({ name: 'a', data: Buffer.from('a') });
    expect(names(zipOf(Array(10_000).fill(entry)))).toHaveLength(10_000);
    expect(names(zipOf(Array(10_001).fill(entry)))).toBeUndefined();
  });

  it('accepts a comment at the end', () => {
    const comment = Buffer.from('made by hand');
    const commented = Buffer.concat([archive, comment]);
    commented.writeUInt16LE(comment.length, archive.length - 2);
    expect(names(commented)).toEqual(['a.txt', 'b/c.txt']);
  });

  it.each([
    ['is not an archive', Buffer.from('just a text')],
    ['has something before it', Buffer.concat([Buffer.from('x'), archive])],
    ['has something after it', Buffer.concat([archive, Buffer.from('x')])],
    ['is truncated', archive.subarray(0, -1)],
    [
      'lacks an entry that it counts',
      Buffer.concat([archive.subarray(0, -22), endOf(3, DIRECTORY_BYTES, DIRECTORY_AT)]),
    ],
    ['has more entries than it counts', withUint16(withUint16(archive, 10, 1), 8, 1)],
    ['is split into parts', withUint16(archive, 4, 1)],
    ['has its directory in another part', withUint16(archive, 6, 1)],
    ['has entries in other parts', withUint16(archive, 8, 1)],
    ['has an entry without a signature', changed(DIRECTORY_AT, 0)],
    ['claims a directory larger than itself', withUint32(archive, 12, 0xffffffff)],
    ['claims more than 10,000 entries', withUint16(withUint16(archive, 10, 10_001), 8, 10_001)],
    ['is empty', Buffer.alloc(0)],
  ])('rejects a file that %s', (_what, bytes) => {
    expect(names(bytes)).toBeUndefined();
  });

  it('rejects a directory outside the given bytes', () => {
    expect(zipEntries(archive.subarray(-100), archive.length)).toBeUndefined();
  });

  it('accepts a directory in a different order from its files', () => {
    const [first, second] = [archive.subarray(DIRECTORY_AT, SECOND_AT), archive.subarray(SECOND_AT, -22)];
    const turned = Buffer.concat([archive.subarray(0, DIRECTORY_AT), second, first, archive.subarray(-22)]);
    expect(names(turned)).toEqual(['b/c.txt', 'a.txt']);
  });

  it('rejects two files that share a byte', () => {
    const secondFile = archive.readUInt32LE(SECOND_AT + OFFSET);
    expect(names(changed(SECOND_AT + OFFSET, secondFile - 1))).toBeUndefined();
  });

  it('rejects a file that overlaps the directory', () => {
    const packed = archive.readUInt32LE(SECOND_AT + PACKED);
    expect(names(changed(SECOND_AT + PACKED, packed + 1))).toBeUndefined();
  });

  it('rejects a file with a declared size beyond what deflate can produce', () => {
    const packed = archive.readUInt32LE(SECOND_AT + PACKED);
    expect(names(changed(SECOND_AT + UNPACKED, packed * 1_032))).toEqual(['a.txt', 'b/c.txt']);
    expect(names(changed(SECOND_AT + UNPACKED, packed * 1_032 + 1))).toBeUndefined();
  });

  it('rejects files with a total declared size over 1 GiB', () => {
    const data = randomBytes(600_000);
    const large = zip({ name: 'a', data }, { name: 'b', data });
    const firstAt = large.length - 22 - 2 * 47;
    large.writeUInt32LE(2 ** 29, firstAt + UNPACKED);
    large.writeUInt32LE(2 ** 29, firstAt + 47 + UNPACKED);
    expect(names(large)).toEqual(['a', 'b']);
    large.writeUInt32LE(2 ** 29 + 1, firstAt + UNPACKED);
    expect(names(large)).toBeUndefined();
  });

  it('does not throw for any single changed byte', () => {
    for (let at = 0; at < archive.length; at += 1)
      for (const value of [0, 0xff])
        expect(() => names(Buffer.from(archive).fill(value, at, at + 1))).not.toThrow();
  });
});

describe('endsLikeZip', () => {
  it('finds the end of an archive wherever readers look for it', () => {
    expect(endsLikeZip(archive)).toBe(true);
    expect(endsLikeZip(Buffer.concat([archive, Buffer.alloc(65_535)]))).toBe(true);
    expect(endsLikeZip(Buffer.concat([Buffer.from('%PDF-1.4'), archive, Buffer.from('%%EOF')]))).toBe(true);
    expect(endsLikeZip(endOf(0, 0, 0))).toBe(true);
  });

  it('finds the end in the last bytes of the file, with a comment of any length', () => {
    const commented = Buffer.concat([Buffer.alloc(100), archive, Buffer.alloc(65_535)]);
    expect(endsLikeZip(commented.subarray(-MAX_ZIP_END_BYTES))).toBe(true);
  });

  it.each([
    ['is short', Buffer.from('PK')],
    ['lacks the record', Buffer.from('nothing that is like the end of an archive')],
    ['has only part of the record', archive.subarray(0, -1)],
  ])('does not find an end in a file that %s', (_what, bytes) => {
    expect(endsLikeZip(bytes)).toBe(false);
  });
});

function withUint16(bytes: Buffer, fromEnd: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt16LE(value, changed.length - 22 + fromEnd);
  return changed;
}

/** The archive with the number at an offset replaced. */
function changed(at: number, value: number): Buffer {
  const bytes = Buffer.from(archive);
  bytes.writeUInt32LE(value, at);
  return bytes;
}

function withUint32(bytes: Buffer, fromEnd: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(value, changed.length - 22 + fromEnd);
  return changed;
}
