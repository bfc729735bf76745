import { endOf, xlsx, zip } from '../../testing/zip-writer.ts';
import { endsLikeZip, zipEntries } from './zip-directory.ts';

const archive = zip({ name: 'a.txt', data: Buffer.from('a') }, { name: 'b/c.txt', data: Buffer.from('c') });
const entries = (bytes: Buffer, size = bytes.length) => zipEntries(bytes, size);
const names = (bytes: Buffer, size = bytes.length) => entries(bytes, size)?.map(({ name }) => name);

describe('zipEntries', () => {
  it('has the compression method of each file', () => {
    expect(entries(archive)).toMatchObject([
      { name: 'a.txt', method: 8 },
      { name: 'b/c.txt', method: 8 },
    ]);
  });

  it('has the place of each file', () => {
    for (const { name, offset, packedBytes } of entries(archive) ?? []) {
      expect(archive.readUInt32LE(offset)).toBe(0x04034b50);
      expect(archive.readUInt32LE(offset + 18)).toBe(packedBytes);
      expect(archive.toString('latin1', offset + 30, offset + 30 + name.length)).toBe(name);
    }
  });

  it('lists an archive from its last bytes alone', () => {
    expect(names(archive)).toEqual(['a.txt', 'b/c.txt']);
    expect(names(archive.subarray(-150), archive.length)).toEqual(['a.txt', 'b/c.txt']);
    expect(names(xlsx())).toContain('xl/workbook.xml');
  });

  it('accepts a comment at the end', () => {
    const comment = Buffer.from('made by hand');
    const commented = Buffer.concat([archive, comment]);
    commented.writeUInt16LE(comment.length, archive.length - 2);
    expect(names(commented)).toEqual(['a.txt', 'b/c.txt']);
  });

  it.each([
    ['is no archive', Buffer.from('just a text')],
    ['has something before it', Buffer.concat([Buffer.from('x'), archive])],
    ['has something after it', Buffer.concat([archive, Buffer.from('x')])],
    ['is cut', archive.subarray(0, -1)],
    ['lacks an entry that it counts', Buffer.concat([archive.subarray(0, -22), endOf(3, 116, 74)])],
    ['has more entries than it counts', withUint16(withUint16(archive, 10, 1), 8, 1)],
    ['comes in parts', withUint16(archive, 4, 1)],
    ['claims a directory larger than itself', withUint32(archive, 12, 0xffffffff)],
    ['claims more than 10,000 entries', withUint16(withUint16(archive, 10, 10_001), 8, 10_001)],
    ['is nothing', Buffer.alloc(0)],
  ])('rejects a file that %s', (_what, bytes) => {
    expect(names(bytes)).toBeUndefined();
  });

  it('rejects a directory that is not within the given bytes', () => {
    expect(zipEntries(archive.subarray(-100), archive.length)).toBeUndefined();
  });

  it('does not throw for any single wrong byte', () => {
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
    expect(endsLikeZip(Buffer.from('PK'))).toBe(false);
    expect(endsLikeZip(Buffer.from('nothing like it'))).toBe(false);
  });
});

function withUint16(bytes: Buffer, fromEnd: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt16LE(value, changed.length - 22 + fromEnd);
  return changed;
}

function withUint32(bytes: Buffer, fromEnd: number, value: number): Buffer {
  const changed = Buffer.from(bytes);
  changed.writeUInt32LE(value, changed.length - 22 + fromEnd);
  return changed;
}
