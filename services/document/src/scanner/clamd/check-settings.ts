import { crc32 } from 'node:zlib';
import { ScannerUnavailable, type ScanVerdict } from '../scanner.ts';

/** More levels of archives than clamd can be configured to open. */
const TOO_DEEP = 101;
/** The flag of a zip entry that says it is encrypted. */
const ENCRYPTED = 1;

const locked = storedZip(Buffer.alloc(32, 1), { encrypted: true });
const nested = Array.from({ length: TOO_DEEP }).reduce<Buffer>(
  (inner) => storedZip(inner),
  Buffer.from('inner'),
);

/**
 * Makes sure that clamd reports files that it could not look into: with its default settings it calls them OK. Rejects
 * with ScannerUnavailable when it does not report them.
 */
export async function checkSettings(scan: (bytes: Buffer) => Promise<ScanVerdict>): Promise<void> {
  if ((await scan(locked)).kind !== 'encrypted')
    throw new ScannerUnavailable('clamd does not report encrypted files (set AlertEncrypted yes)');
  if ((await scan(nested)).kind !== 'limits_exceeded')
    throw new ScannerUnavailable('clamd does not report files over its limits (set AlertExceedsMax yes)');
}

/** A zip archive of one file, uncompressed; `encrypted` sets the flag and nothing else. */
function storedZip(data: Uint8Array, { encrypted = false } = {}): Buffer {
  const name = Buffer.from('file');
  const shared = Buffer.alloc(26);
  shared.writeUInt16LE(20, 0);
  shared.writeUInt16LE(encrypted ? ENCRYPTED : 0, 2);
  shared.writeUInt32LE(crc32(data), 10);
  shared.writeUInt32LE(data.length, 14);
  shared.writeUInt32LE(data.length, 18);
  shared.writeUInt16LE(name.length, 22);
  const file = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), shared, name, data]);
  const made = Buffer.from('PK\x01\x02\x14\0', 'latin1');
  const directory = Buffer.concat([made, shared, Buffer.alloc(14), name]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(file.length, 16);
  return Buffer.concat([file, directory, end]);
}
