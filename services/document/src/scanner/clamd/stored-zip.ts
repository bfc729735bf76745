import { crc32 } from 'node:zlib';

const ENCRYPTED = 1;

/** A zip archive of one file, uncompressed; `encrypted` only says that it is. */
export function storedZip(data: Uint8Array, { encrypted = false } = {}): Buffer {
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
