/** The record that ends a zip archive, and the comment of up to 65,535 bytes that may follow it. */
export const ZIP_END_BYTES = 22;
export const MAX_ZIP_END_BYTES = ZIP_END_BYTES + 65_535;

const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const MAX_ENTRIES = 10_000;

/** A file in a zip archive, as the archive's directory lists it. */
export interface ZipEntry {
  readonly name: string;
  /** The compression method: 0 is stored, 8 is deflate. */
  readonly method: number;
  readonly flags: number;
  /** Where its local header begins, and how many bytes its compressed data has. */
  readonly offset: number;
  readonly packedBytes: number;
}

/** Whether a zip reader could take the end of these bytes for the end of an archive. */
export function endsLikeZip(tail: Uint8Array): boolean {
  const end = Buffer.from(tail.buffer, tail.byteOffset, tail.length).lastIndexOf(END_SIGNATURE);
  return end >= 0 && tail.length - end >= ZIP_END_BYTES;
}

/**
 * The entries of a zip archive, read from the last bytes of a file of `size` bytes. Undefined when the archive does not
 * span the whole file, its directory does not lie within those bytes, or it has more than 10,000 entries. Multi-part
 * archives and those of more than 4 GiB are not read.
 */
export function zipEntries(tail: Uint8Array, size: number): ZipEntry[] | undefined {
  const bytes = Buffer.from(tail.buffer, tail.byteOffset, tail.length);
  const end = bytes.lastIndexOf(END_SIGNATURE);
  if (end < 0 || bytes.length - end < ZIP_END_BYTES) return undefined;
  const [disk, directoryDisk] = [bytes.readUInt16LE(end + 4), bytes.readUInt16LE(end + 6)];
  const [onDisk, entries] = [bytes.readUInt16LE(end + 8), bytes.readUInt16LE(end + 10)];
  const [length, offset] = [bytes.readUInt32LE(end + 12), bytes.readUInt32LE(end + 16)];
  const comment = bytes.readUInt16LE(end + 20);
  if (disk !== 0 || directoryDisk !== 0 || onDisk !== entries || entries > MAX_ENTRIES) return undefined;
  if (end + ZIP_END_BYTES + comment !== bytes.length) return undefined;
  // Nothing may lie before the archive or between its parts: other programs would read it.
  if (offset + length !== size - bytes.length + end) return undefined;
  const start = end - length;
  return start < 0 ? undefined : entriesIn(bytes.subarray(start, end), entries);
}

function entriesIn(directory: Buffer, count: number): ZipEntry[] | undefined {
  const entries: ZipEntry[] = [];
  let at = 0;
  while (entries.length < count) {
    if (directory.length - at < ENTRY_BYTES || directory.readUInt32LE(at) !== ENTRY_SIGNATURE)
      return undefined;
    const nameEnd = at + ENTRY_BYTES + directory.readUInt16LE(at + 28);
    const next = nameEnd + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
    if (next > directory.length) return undefined;
    const name = directory.toString('latin1', at + ENTRY_BYTES, nameEnd);
    entries.push({
      name,
      method: directory.readUInt16LE(at + 10),
      flags: directory.readUInt16LE(at + 8),
      offset: directory.readUInt32LE(at + 42),
      packedBytes: directory.readUInt32LE(at + 20),
    });
    at = next;
  }
  return at === directory.length ? entries : undefined;
}
