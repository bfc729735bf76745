import { fileTypeFromBuffer } from 'file-type';
import type { ContentType } from '../../domain/content-types.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES, zipEntries } from '../../domain/zip-directory.ts';
import type { StreamEnds } from './stream-ends.ts';

/** Decides whether a stream is of its declared type. Made anew for every stream. */
export interface ContentRule {
  readonly headBytes: number;
  readonly tailBytes: number;
  /** Sees every byte. */
  readonly look?: (chunk: Uint8Array) => void;
  readonly accepts: (ends: StreamEnds) => Promise<boolean> | boolean;
}

const HEAD_BYTES = 64 * 1024;
/** Enough for some thousands of entries; a workbook has a few dozen. */
const DIRECTORY_BYTES = 1024 * 1024;
const PDF_END_WITHIN = 1_024;

export const contentRules: Record<ContentType, () => ContentRule> = {
  'application/pdf': pdf,
  'image/jpeg': () => image(['image/jpeg']),
  // An animated one is a PNG, too.
  'image/png': () => image(['image/png', 'image/apng']),
  'text/csv': csv,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': workbook,
};

function pdf(): ContentRule {
  return {
    headBytes: HEAD_BYTES,
    tailBytes: MAX_ZIP_END_BYTES,
    async accepts(ends) {
      const [head, tail] = [ends.head(), ends.tail()];
      return (
        startsWith(head, '%PDF-') &&
        Buffer.from(tail.subarray(-PDF_END_WITHIN)).includes('%%EOF', 0, 'latin1') &&
        (await typeOf(head)) === 'application/pdf' &&
        !endsLikeZip(tail)
      );
    },
  };
}

function image(types: readonly string[]): ContentRule {
  return {
    headBytes: HEAD_BYTES,
    tailBytes: MAX_ZIP_END_BYTES,
    async accepts(ends) {
      const type = await typeOf(ends.head());
      return type !== undefined && types.includes(type) && !endsLikeZip(ends.tail());
    },
  };
}

/** Parts that every workbook has, and one that only a workbook with macros has; part names are case-insensitive. */
const WORKBOOK_PARTS = ['[content_types].xml', 'xl/workbook.xml'];
const MACROS = /(?:^|\/)vbaproject\.bin$/;
/** The compression methods of workbooks: stored and deflate. Scanners may be unable to read others. */
const METHODS = [0, 8];

function workbook(): ContentRule {
  return {
    headBytes: 4,
    tailBytes: DIRECTORY_BYTES,
    accepts(ends) {
      if (!startsWith(ends.head(), 'PK\x03\x04')) return false;
      const entries = zipEntries(ends.tail(), ends.size()) ?? [];
      const names = entries.map(({ name }) => name.toLowerCase());
      return (
        entries.every(({ method }) => METHODS.includes(method)) &&
        WORKBOOK_PARTS.every((part) => names.includes(part)) &&
        !names.some((name) => MACROS.test(name))
      );
    },
  };
}

/**
 * Formats that `file-type` recognises by two letters alone, which a table may begin with. All of their files contain
 * NUL, so that none passes as CSV.
 */
const TWO_LETTER_MAGIC = ['image/bmp', 'application/x-msdownload'];

const BYTE_ORDER_MARK = /^\u{FEFF}/u;
/** Where PDF readers look for the header. */
const PDF_HEADER_WITHIN = 1_024;
/** Markup of any kind, scripts, PostScript and RTF: text that programs interpret. */
const INTERPRETED = /^(?:<[a-z!?/]|#!|%!|\{\\rtf)/i;

function csv(): ContentRule {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let isText = true;
  const look = (chunk: Uint8Array) => {
    if (isText) isText = !chunk.includes(0) && decodes(() => decoder.decode(chunk, { stream: true }));
  };
  return {
    headBytes: HEAD_BYTES,
    tailBytes: 0,
    look,
    async accepts(ends) {
      if (ends.size() === 0 || !isText || !decodes(() => decoder.decode())) return false;
      const head = ends.head();
      const type = await typeOf(head);
      const known = type !== undefined && !TWO_LETTER_MAGIC.includes(type);
      return !known && !isOtherTextFormat(Buffer.from(head).toString('utf8'));
    },
  };
}

/** Whether text begins like a format other than CSV that is text, too. */
function isOtherTextFormat(head: string): boolean {
  const start = head.replace(BYTE_ORDER_MARK, '').trimStart();
  return INTERPRETED.test(start) || head.slice(0, PDF_HEADER_WITHIN).includes('%PDF-');
}

function decodes(decode: () => string): boolean {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
}

function startsWith(head: Uint8Array, text: string): boolean {
  return Buffer.from(head.subarray(0, text.length)).toString('latin1') === text;
}

async function typeOf(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime;
  } catch {
    // Bytes that the library fails on are of no type that it knows.
    return undefined;
  }
}
