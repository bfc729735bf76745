/** The end-of-archive record, which a comment of up to 65,535 bytes may follow. */
export const ZIP_END_BYTES = 22;
export const MAX_ZIP_END_BYTES = ZIP_END_BYTES + 65_535;

const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
const ENTRY_SIGNATURE = 0x02014b50;
const ENTRY_BYTES = 46;
const MAX_ENTRIES = 10_000;
/** Size of the local header, which precedes the name and the data of every file. */
const LOCAL_BYTES = 30;
/** Deflate produces at most 258 bytes from two bits. */
const MAX_RATIO = 1_032;
/** Forty times the largest document: the maximum that the sheets of a workbook reach. */
const MAX_UNPACKED_BYTES = 1024 * 1024 * 1024;

/** A file as listed in the directory of a zip archive. */
export interface ZipEntry {
  readonly name: string;
  /** The compression method: 0 is stored, 8 is deflate. */
  readonly method: number;
  readonly flags: number;
  /** Offset of its local header, and the size of its compressed data. */
  readonly offset: number;
  readonly packedBytes: number;
  /** Inflated size, as declared in the directory. */
  readonly unpackedBytes: number;
}

/** Returns whether a zip reader could interpret these bytes as the end of an archive. */
export function endsLikeZip(tail: Uint8Array): boolean {
  const end = Buffer.from(tail.buffer, tail.byteOffset, tail.length).lastIndexOf(END_SIGNATURE);
  return end >= 0 && tail.length - end >= ZIP_END_BYTES;
}

/**
 * Returns the entries of a zip archive, read from the last bytes of a file of `size` bytes. Undefined when the archive
 * does not span the whole file, its directory is not within those bytes, or it has more than 10,000 entries; when two
 * files share bytes, as in an archive that inflates to any size; and when declared sizes exceed what deflate can
 * produce, or 1 GiB in total. Does not support multi-part archives or archives over 4 GiB.
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
  // Bytes before the archive or between its parts are rejected: other programs would read them.
  if (offset + length !== size - bytes.length + end) return undefined;
  const start = end - length;
  const found = start < 0 ? undefined : entriesIn(bytes.subarray(start, end), entries);
  return found && areApart(found, offset) && areInflatable(found) ? found : undefined;
}

/** Whether the files share no bytes and all precede the directory. */
function areApart(entries: readonly ZipEntry[], directoryAt: number): boolean {
  let free = 0;
  for (const { offset, name, packedBytes } of entries.toSorted((one, other) => one.offset - other.offset)) {
    if (offset < free) return false;
    free = offset + LOCAL_BYTES + name.length + packedBytes;
  }
  return free <= directoryAt;
}

function areInflatable(entries: readonly ZipEntry[]): boolean {
  const possible = ({ packedBytes, unpackedBytes }: ZipEntry) => unpackedBytes <= packedBytes * MAX_RATIO;
  const unpackedBytes = entries.reduce((sum, entry) => sum + entry.unpackedBytes, 0);
  return entries.every(possible) && unpackedBytes <= MAX_UNPACKED_BYTES;
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
      unpackedBytes: directory.readUInt32LE(at + 24),
    });
    at = next;
  }
  return at === directory.length ? entries : undefined;
}
