import { inflateRawSync } from 'node:zlib';
import type { ZipEntry } from './zip-directory.ts';

/** Content types take a few hundred bytes for each part; a workbook of a thousand sheets stays far below this. */
export const MAX_TYPES_BYTES = 1024 * 1024;
const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const ENCRYPTED = 1;

/** Part names found only in workbooks with macros, Excel 4 sheets, embedded objects or links to other files. */
const ACTIVE_NAMES =
  /(?:^|\/)vba(?:project|data)|(?:^|\/)(?:(?:intl)?macrosheets|dialogsheets|embeddings|activex|externallinks)\//;

/**
 * Content types of active parts, regardless of part names: macros and Excel 4 sheets, dialogs, OLE and ActiveX,
 * embedded documents, links to other files.
 */
const ACTIVE_TYPES = new RegExp(
  [
    'vbaproject',
    'vbadata',
    'macroenabled',
    'macrosheet',
    'dialogsheet',
    'attachedtoolbars',
    'oleobject',
    'activex',
    'externallink',
    'officedocument\\.package',
    'spreadsheetml\\.sheet(?![.\\w])',
    'wordprocessingml',
    'presentationml',
    'application/(?:msword|vnd\\.ms-(?:word|powerpoint|excel["\'])|vnd\\.visio|x-msdownload|javascript|hta)',
  ].join('|'),
);

/** Returns whether the lower-case part name indicates active or external content. */
export function isActiveName(name: string): boolean {
  return ACTIVE_NAMES.test(name);
}

/**
 * Returns the text of a part, which `slice` reads from the archive; `slice` returns undefined for bytes that it does
 * not have. Undefined when the part cannot be read as a spreadsheet program would read it: encrypted, over `maxBytes`,
 * damaged, under another name in its local header, or not UTF-8.
 */
export function textOf(
  entry: ZipEntry,
  slice: (offset: number, length: number) => Buffer | undefined,
  maxBytes: number,
): string | undefined {
  const { name, method, flags, offset, packedBytes } = entry;
  const local = slice(offset, LOCAL_BYTES);
  if (!local || local.readUInt32LE(0) !== LOCAL_SIGNATURE) return undefined;
  const nameBytes = local.readUInt16LE(26);
  const dataAt = offset + LOCAL_BYTES + nameBytes + local.readUInt16LE(28);
  const same = slice(offset + LOCAL_BYTES, nameBytes)?.toString('latin1') === name;
  if (!same || local.readUInt16LE(8) !== method || ((flags | local.readUInt16LE(6)) & ENCRYPTED) !== 0)
    return undefined;
  if (packedBytes > maxBytes) return undefined;
  const packed = slice(dataAt, packedBytes);
  try {
    if (!packed) return undefined;
    const bytes = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: maxBytes });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns whether content types declare no active or external content. Rejects text that another reader could interpret
 * differently.
 */
export function areQuietTypes(text: string): boolean {
  return isPlainXml(text) && !ACTIVE_TYPES.test(decoded(text).toLowerCase());
}

/**
 * Returns whether every reader finds the same elements: no document type, encoding other than UTF-8, CDATA section or
 * NUL.
 */
export function isPlainXml(text: string): boolean {
  if (text.includes('\0') || /<!(?:DOCTYPE|ENTITY|\[CDATA)/i.test(text)) return false;
  const encoding = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/i.exec(text)?.[1];
  return encoding === undefined || /^(?:utf-?8|us-ascii)$/i.test(encoding);
}

/** Returns the lower-case type of a part, given its lower-case name. */
export function typeOfPart(types: string, part: string): string | undefined {
  const named = elementsIn(types, 'Override')?.find(
    (attributes) => partOf(attributes.get('PartName') ?? '') === part,
  );
  const extension = /\.([^./]+)$/.exec(part)?.[1];
  const byExtension = () =>
    elementsIn(types, 'Default')?.find(
      (attributes) => attributes.get('Extension')?.toLowerCase() === extension,
    );
  return (named ?? byExtension())?.get('ContentType')?.trim().toLowerCase();
}

/** Returns the lower-case part name of an archive entry: part names are case-insensitive and may contain escapes. */
export function partName(archived: string): string {
  const name = Buffer.from(archived, 'latin1').toString('utf8').toLowerCase().replaceAll('\\', '/');
  try {
    return decodeURIComponent(name).toLowerCase();
  } catch {
    return name;
  }
}

/**
 * Returns the lower-case name of the part that a target, relative to the package root, refers to; undefined outside the
 * package.
 */
export function partOf(target: string): string | undefined {
  try {
    const { origin, pathname } = new URL(target.trim(), 'http://package/');
    return origin === 'http://package' ? decodeURIComponent(pathname.slice(1)).toLowerCase() : undefined;
  } catch {
    return undefined;
  }
}

const COMMENTS = /<!--[\s\S]*?(?:-->|$)/g;
/** Matches an attribute or anything else, so that each character of any input is visited once. */
const ATTRIBUTES = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')|[\w.:-]+|[^\w.:-]+/g;

/** Keeps the expression within its stack; a relationship has four. */
const MAX_ATTRIBUTES = 100;

/**
 * Returns the attributes of each element of that name, with any prefix, outside comments. Undefined when one of them
 * cannot be parsed.
 */
export function elementsIn(text: string, name: string): ReadonlyMap<string, string>[] | undefined {
  const begin = `<(?:[\\w.-]+:)?${name}(?=[\\s/>])`;
  const attributes = `([^<>"']*(?:(?:"[^"<]*"|'[^'<]*')[^<>"']*){0,${MAX_ATTRIBUTES}})>`;
  const plain = text.replace(COMMENTS, '');
  const read = [...plain.matchAll(new RegExp(begin + attributes, 'g'))];
  if (read.length !== [...plain.matchAll(new RegExp(begin, 'g'))].length) return undefined;
  return read.map(([, found = '']) => new Map(attributesIn(found)));
}

function attributesIn(text: string): [name: string, value: string][] {
  return [...text.matchAll(ATTRIBUTES)].flatMap(([, name, double, single]) =>
    name === undefined ? [] : [[name, decoded(double ?? single ?? '')]],
  );
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Replaces character references; a dot in a type may be written as `&#46;` or `&#x2e;`. */
function decoded(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,8})|#([0-9]{1,8})|(amp|lt|gt|quot|apos));/gi,
    (reference, hex, decimal, name) => {
      if (name !== undefined) return NAMED[name] ?? reference;
      const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
    },
  );
}
