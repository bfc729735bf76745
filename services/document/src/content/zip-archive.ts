import { crc32, createInflateRaw } from 'node:zlib';
import {
  type Entry,
  ERR_UNSAFE_FILENAME,
  type FileEntry,
  type LocalDataDescriptor,
  Uint8ArrayReader,
  WARNING_MALFORMED_EXTRA_FIELD,
  WARNING_TRAILING_CENTRAL_DIRECTORY_DATA,
  WARNING_UNSORTED_CENTRAL_DIRECTORY,
  ZipReader,
} from '@zip.js/zip.js/lib/zip-core-custom.js';
import { ContentRefused } from './content-fault.ts';

/** The end-of-archive record, which a comment of up to 65,535 bytes may follow. */
export const ZIP_END_BYTES = 22;
export const MAX_ZIP_END_BYTES = ZIP_END_BYTES + 65_535;

const END_SIGNATURE = Buffer.from('PK\x05\x06', 'latin1');
/** The record and the locator that precede the end of an archive in the Zip64 form. */
const END_64_SIGNATURE = 0x06064b50;
const LOCATOR_64_SIGNATURE = 0x07064b50;
const END_64_BYTES = 56;
const LOCATOR_64_BYTES = 20;
/** A value that the Zip64 end contains. */
const IN_ZIP64 = 0xffff;

/** As many as the scanner opens. A workbook has a few dozen. */
const MAX_ENTRIES = 5_000;
/** Four times the largest document. An ordinary workbook inflates to about ten times its size. */
export const MAX_INFLATED_BYTES = 100 * 1024 * 1024;
/** Sheets rarely inflate to 50 times their size; deflate can reach 1,032 times. */
const MAX_RATIO = 250;
const ANY_RATIO_BYTES = 1024 * 1024;
/**
 * Names that a program could read as a place outside the archive, or as another name: backslashes, colons and control
 * characters. The reader also rejects absolute names, `..`, `.` and empty segments.
 */
const UNSAFE_NAME = /[\\:]/;
const isControl = (byte: number) => byte < 0x20 || byte === 0x7f;
/** Info-ZIP's extra field with another name for the file. */
const OTHER_NAME = 0x7075;
/** Compression methods of workbooks. Scanners may not support others. */
const STORED = 0;
const METHODS = [STORED, 8];
const HARMLESS: readonly string[] = [WARNING_UNSORTED_CENTRAL_DIRECTORY, WARNING_MALFORMED_EXTRA_FIELD];
const CHUNK_BYTES = 64 * 1024;

/** A file in an archive. */
export interface ZipPart {
  readonly name: string;
  /** Yields the inflated bytes. Refuses bytes that differ from the directory in size or checksum. */
  read(): AsyncGenerator<Buffer>;
}

/** Returns whether a zip reader could interpret these bytes as the end of an archive. */
export function endsLikeZip(tail: Uint8Array): boolean {
  const end = Buffer.from(tail.buffer, tail.byteOffset, tail.length).lastIndexOf(END_SIGNATURE);
  return end >= 0 && tail.length - end >= ZIP_END_BYTES;
}

/**
 * Returns the files of an archive that every reader reads alike: one archive from the first byte to the last, whose
 * files have unique, safe names, share no bytes and leave none between them, and whose local headers repeat the
 * directory. Refuses other archives, encrypted files, more than 5,000 files, and sizes over 100 MiB in total or over
 * 250 times the compressed size.
 */
export async function zipParts(file: Buffer): Promise<ZipPart[]> {
  const entries = await entriesOf(file);
  const inflatedBytes = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (inflatedBytes > MAX_INFLATED_BYTES || entries.some(isSuspicious))
    throw new ContentRefused('workbook-too-large');
  return entries.map((entry) => ({ name: entry.filename, read: () => inflated(file, entry) }));
}

/** A compressed form that inflates so far is made to use up memory. */
function isSuspicious({ compressedSize, uncompressedSize }: FileEntry): boolean {
  return uncompressedSize > ANY_RATIO_BYTES && uncompressedSize > compressedSize * MAX_RATIO;
}

async function entriesOf(file: Buffer): Promise<FileEntry[]> {
  const reader = new ZipReader(new Uint8ArrayReader(file), {
    strictness: 'balanced',
    filenameValidation: 'strict',
    checkLocalDirectory: true,
    checkLocalFilename: true,
    checkOverlappingEntry: true,
    checkOverlappingEntryOnly: true,
    maxAppendedDataSize: 0,
    useWebWorkers: false,
  });
  const names = new Set<string>();
  const entries: FileEntry[] = [];
  try {
    for await (const entry of reader.getEntriesGenerator()) {
      checkEntry(entry, names);
      // Folders have local headers, too.
      const withHeader = entry as FileEntry;
      await withHeader.getData(new WritableStream());
      entries.push(withHeader);
    }
  } catch (error) {
    if (error instanceof ContentRefused) throw error;
    const isUnsafe = error instanceof Error && error.message === ERR_UNSAFE_FILENAME;
    throw new ContentRefused(isUnsafe ? 'workbook-entry-name' : 'workbook-archive');
  }
  if (!isWhole(file, reader, entries)) throw new ContentRefused('workbook-archive');
  return entries.filter(({ directory }) => !directory);
}

/** Adds the entry's name to `names`. Names that differ only in case are one name to some readers. */
function checkEntry(entry: Entry, names: Set<string>): void {
  const { filename, rawFilename, encrypted, compressionMethod, directory, uncompressedSize, extraField } =
    entry;
  const name = filename.toLowerCase();
  const isUnsafe = UNSAFE_NAME.test(filename) || rawFilename.some(isControl) || extraField?.has(OTHER_NAME);
  if (names.has(name) || isUnsafe) throw new ContentRefused('workbook-entry-name');
  names.add(name);
  if (encrypted) throw new ContentRefused('workbook-encrypted');
  const isReadable = directory ? uncompressedSize === 0 : METHODS.includes(compressionMethod);
  if (!isReadable || names.size > MAX_ENTRIES) throw new ContentRefused('workbook-archive');
}

/** Whether the files follow each other without gaps: some readers find files that the directory does not list. */
function isWhole(
  file: Buffer,
  { directoryOffset = 0, directoryLength = 0, warnings = [] }: ZipReader<unknown>,
  entries: readonly Entry[],
) {
  let free = 0;
  for (const { offset, compressedSize, localDirectory } of entries.toSorted(
    (one, other) => one.offset - other.offset,
  )) {
    if (offset !== free || !localDirectory) return false;
    free = localDirectory.dataOffset + compressedSize + descriptorBytes(localDirectory.dataDescriptor);
  }
  const isHarmless = ({ reason }: { readonly reason: string }) =>
    HARMLESS.includes(reason) ||
    (reason === WARNING_TRAILING_CENTRAL_DIRECTORY_DATA &&
      endsInZip64(file, directoryOffset + directoryLength));
  return (
    free === directoryOffset &&
    warnings.every(isHarmless) &&
    hasOneEnd(file, directoryOffset + directoryLength)
  );
}

function descriptorBytes(descriptor: LocalDataDescriptor | undefined): number {
  if (!descriptor) return 0;
  return 12 + (descriptor.zip64 ? 8 : 0) + (descriptor.signature ? 4 : 0);
}

/** Whether the last end belongs to the directory, on the only disk: readers start from different ends. */
function hasOneEnd(file: Buffer, directoryEnd: number): boolean {
  const end = file.lastIndexOf(END_SIGNATURE);
  const isAfter = [directoryEnd, directoryEnd + END_64_BYTES + LOCATOR_64_BYTES].includes(end);
  const disks = [file.readUInt16LE(end + 4), file.readUInt16LE(end + 6)];
  const isLast = end + ZIP_END_BYTES + file.readUInt16LE(end + 20) === file.length;
  return isAfter && isLast && disks.every((disk) => disk === 0 || disk === IN_ZIP64);
}

/** Whether only a Zip64 end that agrees with the ordinary one follows the directory: some writers always add it. */
function endsInZip64(file: Buffer, directoryEnd: number): boolean {
  const end = file.lastIndexOf(END_SIGNATURE);
  const locator = end - LOCATOR_64_BYTES;
  return (
    locator - directoryEnd === END_64_BYTES &&
    file.readUInt32LE(directoryEnd) === END_64_SIGNATURE &&
    file.readUInt32LE(locator) === LOCATOR_64_SIGNATURE &&
    file.readBigUInt64LE(locator + 8) === BigInt(directoryEnd) &&
    file.readBigUInt64LE(directoryEnd + 32) === BigInt(file.readUInt16LE(end + 10)) &&
    file.readBigUInt64LE(directoryEnd + 40) === BigInt(file.readUInt32LE(end + 12)) &&
    file.readBigUInt64LE(directoryEnd + 48) === BigInt(file.readUInt32LE(end + 16))
  );
}

async function* inflated(file: Buffer, entry: FileEntry): AsyncGenerator<Buffer> {
  const { compressionMethod, compressedSize, uncompressedSize, localDirectory } = entry;
  const start = localDirectory?.dataOffset ?? 0;
  const packed = file.subarray(start, start + compressedSize);
  let [bytes, checksum] = [0, 0];
  try {
    for await (const chunk of compressionMethod === STORED ? [packed] : inflate(packed)) {
      bytes += chunk.length;
      if (bytes > uncompressedSize) break;
      checksum = crc32(chunk, checksum);
      yield chunk;
    }
  } catch {
    bytes = Number.NaN;
  }
  if (bytes !== uncompressedSize || checksum !== entry.crc32) throw new ContentRefused('workbook-archive');
}

function inflate(packed: Buffer): AsyncIterable<Buffer> {
  const inflating = createInflateRaw({ chunkSize: CHUNK_BYTES });
  inflating.end(packed);
  return inflating;
}
