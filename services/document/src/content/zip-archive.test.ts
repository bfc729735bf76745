import { randomBytes } from 'node:crypto';
import { endOf, pack, withZip64End, xlsx, zip, zipOf } from '../../testing/zip-writer.ts';
import { ContentRefused } from './content-fault.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES, zipParts } from './zip-archive.ts';

const MIB = 1024 * 1024;
const part = (name: string, text = name) => ({ name, data: Buffer.from(text) });
const archive = zip(part('a.txt', 'a'), part('b/c.txt', 'c'));
/** Offsets of the directory, its second entry, and some fields of an entry. */
const DIRECTORY_BYTES = 46 + 5 + (46 + 7);
const DIRECTORY_AT = archive.length - 22 - DIRECTORY_BYTES;
const SECOND_AT = DIRECTORY_AT + 46 + 5;
const [FLAGS, METHOD, CRC, PACKED, UNPACKED, OFFSET] = [8, 10, 16, 20, 24, 42];

/** Resolves to the texts of the files by name, or to the rule that refuses the archive. */
async function filesOf(bytes: Buffer): Promise<Record<string, string> | string> {
  try {
    const files: Record<string, string> = {};
    for (const { name, read } of await zipParts(bytes)) {
      const chunks: Buffer[] = [];
      for await (const chunk of read()) chunks.push(chunk);
      files[name] = Buffer.concat(chunks).toString();
    }
    return files;
  } catch (error) {
    if (error instanceof ContentRefused) return error.fault.rule;
    throw error;
  }
}

const BOTH = { 'a.txt': 'a', 'b/c.txt': 'c' };
const commented = (bytes: Buffer, comment: string) => {
  const whole = Buffer.concat([bytes, Buffer.from(comment)]);
  whole.writeUInt16LE(comment.length, bytes.length - 2);
  return whole;
};
const inForm = (form: NonNullable<Parameters<typeof pack>[0]['form']>) =>
  zip({ ...part('a.txt', 'a'), form }, part('b/c.txt', 'c'));

describe('zipParts', () => {
  it.each([
    ['deflated files', archive],
    ['a comment', commented(archive, 'made by hand')],
    ['stored files', inForm({ isStored: true })],
    ['sizes after the data', inForm({ hasDescriptor: true })],
    ['a Zip64 end that is needed', withZip64End(archive, true)],
    ['a Zip64 end that is not needed', withZip64End(archive, false)],
    ['a Zip64 end and a comment', commented(withZip64End(archive, true), 'x')],
    ['folders', zip(part('b/', ''), part('a.txt', 'a'), part('b/c.txt', 'c'))],
    ['unknown extra fields', inForm({ extra: Buffer.from('feca0100ff', 'hex') })],
  ])('reads an archive with %s', async (_what, bytes) => {
    expect(await filesOf(bytes)).toEqual(BOTH);
  });

  it('reads a directory in a different order from its files', async () => {
    const [first, second] = [archive.subarray(DIRECTORY_AT, SECOND_AT), archive.subarray(SECOND_AT, -22)];
    const turned = Buffer.concat([archive.subarray(0, DIRECTORY_AT), second, first, archive.subarray(-22)]);
    expect(await filesOf(turned)).toEqual(BOTH);
  });

  it('reads a file of several megabytes in chunks', async () => {
    const data = randomBytes(3 * MIB).toString('hex');
    expect(await filesOf(zip(part('large', data)))).toEqual({ large: data });
    expect(Object.keys(await filesOf(xlsx()))).toContain('xl/workbook.xml');
  });

  it.each([
    ['is not an archive', Buffer.from('just a text')],
    ['has something before it', Buffer.concat([Buffer.from('x'), archive])],
    ['has something after it', Buffer.concat([archive, Buffer.from('x')])],
    ['has another archive after it', Buffer.concat([archive, zip(part('d'))])],
    ['has another end in its comment', commented(archive, endOf(0, 0, 0).toString('latin1'))],
    ['is truncated', archive.subarray(0, -1)],
    [
      'lacks an entry that it counts',
      Buffer.concat([archive.subarray(0, -22), endOf(3, DIRECTORY_BYTES, DIRECTORY_AT)]),
    ],
    ['has more entries than it counts', withUint16(withUint16(archive, 10, 1), 8, 1)],
    ['is split into parts', withUint16(archive, 4, 1)],
    ['has its directory in another part', withUint16(archive, 6, 1)],
    ['has an entry without a signature', changed(DIRECTORY_AT, 0)],
    ['claims a directory larger than itself', withUint32(archive, 12, 0xffffffff)],
    ['is empty', Buffer.alloc(0)],
    ['has a file that the directory does not list', hidden()],
    ['has bytes between two files', hidden(Buffer.from('xxxx'))],
    [
      'has two files that share a byte',
      changed(SECOND_AT + OFFSET, archive.readUInt32LE(SECOND_AT + OFFSET) - 1),
    ],
    [
      'has a file that overlaps the directory',
      changed(SECOND_AT + PACKED, archive.readUInt32LE(SECOND_AT + PACKED) + 1),
    ],
    ['has another name in a local header', inForm({ localName: 'b.txt' })],
    ['has another method in a local header', changedWord(DIRECTORY_AT + METHOD, 0)],
    ['has an unusual method', changedWord(DIRECTORY_AT + METHOD, 14)],
    ['has another checksum in a local header', changed(DIRECTORY_AT + CRC, 1)],
    ['has a wrong checksum', changed(14, 1, changed(DIRECTORY_AT + CRC, 1))],
    ['has a wrong size', changed(22, 2, changed(DIRECTORY_AT + UNPACKED, 2))],
    ['has data that does not inflate', Buffer.from(archive).fill(0xff, 35, 36)],
    ['has a Zip64 end with other values', changed(archive.length - 22 + 32, 3, withZip64End(archive, false))],
  ])('refuses a file that %s', async (_what, bytes) => {
    expect(await filesOf(bytes)).toBe('workbook-archive');
  });

  it.each([
    ['../a.txt'],
    ['a/../../b.txt'],
    ['a/..'],
    ['/a.txt'],
    ['//server/a.txt'],
    ['C:/a.txt'],
    ['a\\b.txt'],
    ['..\\b.txt'],
    ['a//b.txt'],
    ['./a.txt'],
    ['a.txt:stream'],
    ['a\0.txt'],
    ['a\n.txt'],
    ['A.TXT'],
    ['a.txt'],
  ])('refuses the name %j beside a.txt', async (name) => {
    expect(await filesOf(zip(part('a.txt'), part(name)))).toBe('workbook-entry-name');
  });

  it('refuses a second name in an extra field', async () => {
    const extra = Buffer.concat([Buffer.from('7570060001', 'hex'), Buffer.alloc(4), Buffer.from('b')]);
    expect(await filesOf(inForm({ extra }))).toBe('workbook-entry-name');
  });

  it('refuses an encrypted file', async () => {
    expect(await filesOf(zip({ ...part('a.txt'), password: 'x' }))).toBe('workbook-encrypted');
    expect(await filesOf(changedWord(6, 1, changedWord(DIRECTORY_AT + FLAGS, 1)))).toBe('workbook-encrypted');
  });

  it('reads 5,000 files and refuses 5,001', async () => {
    const files = Array.from({ length: 5_001 }, (_, index) => pack(part(`${index}`)));
    expect(await zipParts(zipOf(files.slice(1)))).toHaveLength(5_000);
    expect(await filesOf(zipOf(files))).toBe('workbook-archive');
  });

  it('refuses files that inflate to more than 100 MiB in total', async () => {
    const data = Buffer.alloc(MIB, 'abc');
    const packed = { ...pack({ name: '', data: randomBytes(MIB) }), size: 50 * MIB };
    const large = (...sizes: number[]) =>
      zipOf(sizes.map((size, index) => ({ ...packed, size, name: `${index}` })));
    expect(await zipParts(large(50 * MIB, 50 * MIB))).toHaveLength(2);
    expect(await filesOf(large(50 * MIB, 50 * MIB + 1))).toBe('workbook-too-large');
    expect(await filesOf(zip({ name: 'sheet.xml', data: Buffer.alloc(120 * MIB, ' ') }))).toBe(
      'workbook-too-large',
    );
    expect(await zipParts(zip({ name: 'a', data }))).toHaveLength(1);
  });

  it('refuses a file of more than 1 MiB that inflates to more than 250 times its size', async () => {
    const inflating = (packedBytes: number, size: number) =>
      zipParts(zipOf([{ name: 'a', packed: Buffer.alloc(packedBytes), crc: 0, size, encrypted: false }]));
    expect(await inflating(8_000, 2_000_000)).toHaveLength(1);
    await expect(inflating(8_000, 2_000_001)).rejects.toMatchObject({
      fault: { rule: 'workbook-too-large' },
    });
    expect(await inflating(1_100, MIB)).toHaveLength(1);
  });

  it('refuses or reads an archive with any single changed byte', async () => {
    for (let at = 0; at < archive.length; at += 1)
      for (const value of [0, 0xff]) await filesOf(Buffer.from(archive).fill(value, at, at + 1));
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
  return changedWord(bytes.length - 22 + fromEnd, value, bytes);
}

/** The archive with the number at an offset replaced. */
function changed(at: number, value: number, from = archive): Buffer {
  const bytes = Buffer.from(from);
  bytes.writeUInt32LE(value, at);
  return bytes;
}

function changedWord(at: number, value: number, from = archive): Buffer {
  const bytes = Buffer.from(from);
  bytes.writeUInt16LE(value, at);
  return bytes;
}

function withUint32(bytes: Buffer, fromEnd: number, value: number): Buffer {
  return changed(bytes.length - 22 + fromEnd, value, bytes);
}

/** The archive with bytes between its files: by default another file, as readers without a directory find it. */
function hidden(bytes = zip(part('d')).subarray(0, 34)): Buffer {
  const second = archive.readUInt32LE(SECOND_AT + OFFSET);
  const moved = changed(
    SECOND_AT + OFFSET,
    second + bytes.length,
    changed(archive.length - 6, DIRECTORY_AT + bytes.length),
  );
  return Buffer.concat([moved.subarray(0, second), bytes, moved.subarray(second)]);
}
