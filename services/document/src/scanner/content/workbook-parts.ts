import { inflateRawSync } from 'node:zlib';
import type { ZipEntry } from '../../domain/zip-directory.ts';

/** Content types are a few hundred bytes for each part; a workbook of a thousand sheets stays far below. */
export const MAX_TYPES_BYTES = 1024 * 1024;
const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const ENCRYPTED = 1;

/** Parts that are only in workbooks with macros, Excel 4 sheets, embedded objects or links to other files. */
const ACTIVE_NAMES =
  /(?:^|\/)vba(?:project|data)|^xl\/(?:(?:intl)?macrosheets|dialogsheets|embeddings|activex|externallinks)\//;

/**
 * Types of such parts, whatever the parts are called: macros and Excel 4 sheets, dialogs, OLE and ActiveX, documents
 * within the document, links to other files.
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

/** Whether the name of a part, in lower case, says that it holds what runs or reaches out. */
export function isActiveName(name: string): boolean {
  return ACTIVE_NAMES.test(name);
}

/**
 * The text of `[Content_Types].xml`, read out of the archive by `slice`, which gives the bytes at a place or undefined
 * when it does not have them. Undefined when the part cannot be read as a spreadsheet program would read it: encrypted,
 * over 1 MiB, damaged, under another name in front of its data, or not UTF-8.
 */
export function contentTypesOf(
  entry: ZipEntry,
  slice: (offset: number, length: number) => Buffer | undefined,
): string | undefined {
  const { name, method, flags, offset, packedBytes } = entry;
  const local = slice(offset, LOCAL_BYTES);
  if (!local || local.readUInt32LE(0) !== LOCAL_SIGNATURE) return undefined;
  const nameBytes = local.readUInt16LE(26);
  const dataAt = offset + LOCAL_BYTES + nameBytes + local.readUInt16LE(28);
  const same = slice(offset + LOCAL_BYTES, nameBytes)?.toString('latin1') === name;
  if (!same || local.readUInt16LE(8) !== method || ((flags | local.readUInt16LE(6)) & ENCRYPTED) !== 0)
    return undefined;
  if (packedBytes > MAX_TYPES_BYTES) return undefined;
  const packed = slice(dataAt, packedBytes);
  try {
    if (!packed) return undefined;
    const bytes = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: MAX_TYPES_BYTES });
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Whether content types declare nothing that runs or reaches out. Text that could mean something else to another reader
 * is refused: a document type, another encoding than UTF-8, NUL.
 */
export function areQuietTypes(text: string): boolean {
  if (text.includes('\0') || /<!(?:DOCTYPE|ENTITY)/i.test(text)) return false;
  const encoding = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([^"']*)["']/i.exec(text)?.[1];
  if (encoding !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(encoding)) return false;
  return !ACTIVE_TYPES.test(decoded(text).toLowerCase());
}

/** Replaces what stands for single characters; a dot of a type may be written as `&#46;` or `&#x2e;`. */
function decoded(text: string): string {
  return text.replace(/&#(?:x([0-9a-f]{1,8})|([0-9]{1,8}));/gi, (reference, hex, decimal) => {
    const code = hex ? Number.parseInt(hex, 16) : Number(decimal);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : reference;
  });
}
