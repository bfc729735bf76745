import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflateRaw } from 'node:zlib';
import { ScannerUnavailable, type ScanVerdict } from '../malware-scanner.ts';

/**
 * The clamd settings that the scanner requires, besides addresses and paths, so that clamd reports what it could not
 * scan. `StreamMaxLength` must exceed the largest document; `MaxScanTime`, in milliseconds, must be shorter than the
 * client's timeout. `MaxFileSize` must not be less than `MaxScanSize`: clamd silently skips a file in an archive that
 * exceeds the first but not the second.
 */
export const CLAMD_SERVER_SETTINGS: Readonly<Record<string, string>> = {
  Foreground: 'yes',
  StreamMaxLength: '32M',
  MaxFileSize: '256M',
  MaxScanSize: '256M',
  MaxRecursion: '12',
  MaxFiles: '5000',
  MaxScanTime: '60000',
  AlertExceedsMax: 'yes',
  AlertEncrypted: 'yes',
  MaxThreads: '4',
  MaxQueue: '16',
};

/** Returns the text of a clamd.conf with these settings, overridden or extended by `settings`. */
export function clamdConf(settings: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...CLAMD_SERVER_SETTINGS, ...settings });
  return lines.map(([name, value]) => `${name} ${value}\n`).join('');
}

/** Deeper nesting than clamd can be configured to open. */
const TOO_DEEP = 101;
/** The flag of an encrypted zip entry. */
const ENCRYPTED = 1;
/** Zip compression methods. */
const [STORED, DEFLATED] = [0, 8] as const;

const locked = storedZip(Buffer.alloc(32, 1), { encrypted: true });
const nested = Array.from({ length: TOO_DEEP }).reduce<Buffer>(
  (inner) => storedZip(inner),
  Buffer.from('inner'),
);

/**
 * Checks that clamd reports files that it could not scan: with its default settings it reports them as OK. Rejects with
 * ScannerUnavailable when it does not report them.
 */
export async function checkSettings(scan: (bytes: Buffer) => Promise<ScanVerdict>): Promise<void> {
  if ((await scan(locked)).kind !== 'encrypted')
    throw new ScannerUnavailable('clamd does not report encrypted files (set AlertEncrypted yes)');
  if ((await scan(nested)).kind !== 'limits_exceeded')
    throw new ScannerUnavailable('clamd does not report files over its limits (set AlertExceedsMax yes)');
}

/** Inflated size as a multiple of the largest document: a workbook of a few mebibytes contains sheets of that size. */
const INFLATED_TIMES = 2;
const FILLER_BYTES = 1024 * 1024;

/**
 * Checks that clamd scans as much as the largest document has, and does not silently skip a large file in an archive,
 * as it does with `MaxFileSize` below `MaxScanSize`. Scans three times the size of the largest document, so it runs
 * only on the first contact with a scanner, not with every signature check. Rejects with ScannerUnavailable.
 */
export async function checkLimits(
  scan: (bytes: Readable) => Promise<ScanVerdict>,
  largestBytes: number,
): Promise<void> {
  const whole = await scan(Readable.from(archiveWithLockedEnd(largestBytes)));
  if (whole.kind !== 'encrypted')
    throw new ScannerUnavailable(
      `clamd does not scan all of ${largestBytes} bytes (set StreamMaxLength, MaxFileSize and MaxScanSize)`,
    );
  const packed = Readable.from([await packedArchive(largestBytes * INFLATED_TIMES)]);
  if ((await scan(packed)).kind === 'clean')
    throw new ScannerUnavailable(
      'clamd silently skips large files in archives (set MaxFileSize to MaxScanSize)',
    );
}

/** A zip archive of `bytes` bytes or slightly fewer: zeros, followed by a file that is marked as encrypted. */
function* archiveWithLockedEnd(bytes: number): Generator<Buffer> {
  const filler = Buffer.alloc(FILLER_BYTES);
  const names = { filler: Buffer.from('filler'), locked: Buffer.from('locked') };
  // Both files' headers and names, the second file, and the end of the archive.
  const overhead = 2 * (30 + 46 + 2 * names.filler.length) + 32 + 22;
  const zeros = Math.max(1, bytes - overhead);
  const pieces = Array.from({ length: Math.ceil(zeros / FILLER_BYTES) }, (_, index) =>
    filler.subarray(0, Math.min(FILLER_BYTES, zeros - index * FILLER_BYTES)),
  );
  const crc = pieces.reduce((sum, piece) => crc32(piece, sum), 0);
  const first = entryOf({ name: names.filler, crc, size: zeros, flags: 0 });
  const secret = Buffer.alloc(32, 1);
  const second = entryOf({ name: names.locked, crc: crc32(secret), size: secret.length, flags: ENCRYPTED });
  yield first.local;
  yield* pieces;
  const secondAt = first.local.length + zeros;
  yield Buffer.concat([second.local, secret]);
  const directory = Buffer.concat([first.central(0), second.central(secondAt)]);
  yield Buffer.concat([
    directory,
    endOf(2, directory.length, secondAt + second.local.length + secret.length),
  ]);
}

/** A zip archive whose only file inflates to such an archive. */
async function packedArchive(bytes: number): Promise<Buffer> {
  let [crc, size] = [0, 0];
  for (const piece of archiveWithLockedEnd(bytes)) {
    crc = crc32(piece, crc);
    size += piece.length;
  }
  const packed = await buffer(
    Readable.from(archiveWithLockedEnd(bytes)).pipe(createDeflateRaw({ level: 1 })),
  );
  const { local, central } = entryOf({
    name: Buffer.from('packed'),
    crc,
    size,
    flags: 0,
    packedBytes: packed.length,
  });
  const directory = central(0);
  return Buffer.concat([local, packed, directory, endOf(1, directory.length, local.length + packed.length)]);
}

interface Entry {
  readonly name: Buffer;
  readonly crc: number;
  readonly size: number;
  readonly flags: number;
  /** Set for a deflated file. */
  readonly packedBytes?: number;
}

/** Returns the local header of a file and its directory entry. */
function entryOf({ name, crc, size, flags, packedBytes }: Entry) {
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(flags, 2);
  shared.writeUInt16LE(packedBytes === undefined ? STORED : DEFLATED, 4);
  shared.writeUInt32LE(crc, 10);
  shared.writeUInt32LE(packedBytes ?? size, 14);
  shared.writeUInt32LE(size, 18);
  shared.writeUInt16LE(name.length, 22);
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name]),
    central(offset: number) {
      const place = Buffer.alloc(14);
      place.writeUInt32LE(offset, 10);
      return Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), shared, place, name]);
    },
  };
}

function endOf(entries: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

/** Returns a zip archive of one uncompressed file; `encrypted` only sets the flag. */
function storedZip(data: Uint8Array, { encrypted = false } = {}): Buffer {
  const { local, central } = entryOf({
    name: Buffer.from('file'),
    crc: crc32(data),
    size: data.length,
    flags: encrypted ? ENCRYPTED : 0,
  });
  const directory = central(0);
  return Buffer.concat([local, data, directory, endOf(1, directory.length, local.length + data.length)]);
}
