import { randomBytes } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly data: Uint8Array;
  /** Encrypts the entry with the traditional zip encryption (ZipCrypto). */
  readonly password?: string;
  /** Writes the entry in an unusual form. */
  readonly form?: EntryForm;
}

export interface EntryForm {
  readonly isStored?: boolean;
  /** Writes sizes and checksum after the data, as streaming writers do. */
  readonly hasDescriptor?: boolean;
  /** Replaces the name in the local header. */
  readonly localName?: string;
  /** Added to the directory's entry. */
  readonly extra?: Uint8Array;
}

/** An entry with data that is already compressed, for archives that repeat it. */
export interface PackedEntry {
  readonly name: string;
  readonly packed: Uint8Array;
  readonly crc: number;
  readonly size: number;
  readonly encrypted: boolean;
  readonly form?: EntryForm;
}

const [STORE, DEFLATE] = [0, 8];
const HAS_DESCRIPTOR = 8;
const CRYPT_HEADER_BYTES = 12;

export function zip(...entries: ZipEntry[]): Buffer {
  return zipOf(entries.map(pack));
}

const SHEETS = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const RELATIONSHIPS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns a minimal workbook with the required parts. */
export function xlsx(...more: ZipEntry[]): Buffer {
  return workbookOf(contentTypes(), ...more);
}

/** Returns a minimal workbook with those content types. */
export function workbookOf(types: string | Uint8Array, ...more: ZipEntry[]): Buffer {
  return zip(
    { name: '[Content_Types].xml', data: typeof types === 'string' ? Buffer.from(types) : types },
    textPart('_rels/.rels', relationships(['officeDocument', 'xl/workbook.xml'])),
    textPart('xl/workbook.xml', '<?xml version="1.0"?><workbook/>'),
    ...more,
  );
}

export const textPart = (name: string, text: string): ZipEntry => ({ name, data: Buffer.from(text) });

/** Returns the content types of a workbook with that main part. */
export function contentTypes(
  more = '',
  main = '/xl/workbook.xml',
  type = `${SHEETS}.sheet.main+xml`,
): string {
  const own = `<Override PartName="${main}" ContentType="${type}"/>`;
  return `<?xml version="1.0" encoding="UTF-8"?><Types>${DEFAULTS}${own}${more}</Types>`;
}

const DEFAULTS =
  '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
  '<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>';

/**
 * Returns relationships with those types, each given in full or by its last segment, and targets, with an optional mode
 * for external ones.
 */
export function relationships(...declared: [type: string, target: string, mode?: 'External'][]): string {
  const each = declared.map(([type, target, mode], index) => {
    const url = type.includes(':') ? type : `${RELATIONSHIPS}/${type}`;
    const outside = mode ? ` TargetMode="${mode}"` : '';
    return `<Relationship Id="rId${index}" Type="${url}" Target="${target}"${outside}/>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?><Relationships>${each.join('')}</Relationships>`;
}

export function pack({ name, data, password, form }: ZipEntry): PackedEntry {
  const crc = crc32(data);
  const deflated = form?.isStored ? data : deflateRawSync(data);
  const encrypted = password !== undefined;
  const packed = encrypted ? encrypt(deflated, password, crc) : deflated;
  return { name, packed, crc, size: data.length, encrypted, ...(form ? { form } : {}) };
}

export function zipOf(entries: readonly PackedEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const { form = {}, packed } = entry;
    const [name, extra] = [Buffer.from(entry.name), form.extra ?? Buffer.alloc(0)];
    const localName = Buffer.from(form.localName ?? entry.name);
    const localHeader = shared(entry, localName.length);
    const descriptor = Buffer.alloc(form.hasDescriptor ? 16 : 0);
    if (form.hasDescriptor) {
      descriptor.write('PK\x07\x08', 'latin1');
      localHeader.copy(descriptor, 4, 10, 22);
      localHeader.fill(0, 10, 22);
    }
    const local = Buffer.concat([
      Buffer.from('PK\x03\x04', 'latin1'),
      localHeader,
      localName,
      packed,
      descriptor,
    ]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    const header = shared(entry, name.length);
    header.writeUInt16LE(extra.length, 24);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), header, place, name, extra]));
    files.push(local);
    offset += local.length;
  }
  return Buffer.concat([
    ...files,
    ...directory,
    endOf(entries.length, Buffer.concat(directory).length, offset),
  ]);
}

/** Returns the archive with a Zip64 end before its ordinary one, which keeps its values or refers to the other. */
export function withZip64End(archive: Buffer, isNeeded: boolean): Buffer {
  const end = Buffer.from(archive.subarray(-22));
  const [entries, length, offset] = [end.readUInt16LE(10), end.readUInt32LE(12), end.readUInt32LE(16)];
  const record = Buffer.alloc(56);
  record.write('PK\x06\x06', 'latin1');
  record.writeBigUInt64LE(44n, 4);
  record.writeUInt16LE(45, 12);
  record.writeUInt16LE(45, 14);
  for (const [at, value] of [
    [24, entries],
    [32, entries],
    [40, length],
    [48, offset],
  ] as const)
    record.writeBigUInt64LE(BigInt(value), at);
  const locator = Buffer.alloc(20);
  locator.write('PK\x06\x07', 'latin1');
  locator.writeBigUInt64LE(BigInt(offset + length), 8);
  locator.writeUInt32LE(1, 16);
  if (isNeeded) end.fill(0xff, 8, 20);
  return Buffer.concat([archive.subarray(0, -22), record, locator, end]);
}

/** Returns the record that ends an archive of `entries`, whose directory has `length` bytes from `offset`. */
export function endOf(entries: number, length: number, offset: number): Buffer {
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(length, 12);
  end.writeUInt32LE(offset, 16);
  return end;
}

/** Returns the fields shared by an entry's header in the directory and its local header. */
function shared({ packed, crc, size, encrypted, form }: PackedEntry, nameBytes: number): Buffer {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE((encrypted ? 1 : 0) | (form?.hasDescriptor ? HAS_DESCRIPTOR : 0), 2);
  header.writeUInt16LE(form?.isStored ? STORE : DEFLATE, 4);
  header.writeUInt32LE(crc, 10);
  header.writeUInt32LE(packed.length, 14);
  header.writeUInt32LE(size, 18);
  header.writeUInt16LE(nameBytes, 22);
  return header;
}

function encrypt(data: Uint8Array, password: string, crc: number): Buffer {
  const keys = [0x12345678, 0x23456789, 0x34567890];
  const turn = (byte: number) => {
    keys[0] = crcStep(keys[0] ?? 0, byte);
    keys[1] = (Math.imul(((keys[1] ?? 0) + ((keys[0] ?? 0) & 0xff)) | 0, 134_775_813) + 1) >>> 0;
    keys[2] = crcStep(keys[2] ?? 0, (keys[1] ?? 0) >>> 24);
  };
  for (const byte of Buffer.from(password)) turn(byte);
  const header = randomBytes(CRYPT_HEADER_BYTES);
  header[CRYPT_HEADER_BYTES - 1] = crc >>> 24;
  return Buffer.concat([header, data]).map((byte) => {
    const mixed = ((keys[2] ?? 0) | 2) & 0xffff;
    const pad = (Math.imul(mixed, mixed ^ 1) >>> 8) & 0xff;
    turn(byte);
    return byte ^ pad;
  }) as Buffer;
}

const TABLE = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value >>> 0;
});

function crcStep(crc: number, byte: number): number {
  return ((TABLE[(crc ^ byte) & 0xff] ?? 0) ^ (crc >>> 8)) >>> 0;
}
