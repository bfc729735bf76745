import { fileTypeFromBuffer } from 'file-type';
import type { ContentType } from '../../domain/content-types.ts';
import { isTextWithMagic } from '../../domain/text-magic.ts';
import { endsLikeZip, ZIP_LONGEST_END, zipEntries } from '../../domain/zip-directory.ts';
import type { StreamEnds } from './stream-ends.ts';

/** What makes content what it is declared to be. Made anew for every stream. */
export interface ContentRule {
  readonly headBytes: number;
  readonly tailBytes: number;
  /** Sees every byte. */
  readonly look?: (chunk: Uint8Array) => void;
  readonly accepts: (ends: StreamEnds) => Promise<boolean> | boolean;
}

const HEAD_BYTES = 64 * 1024;
/** Lists some thousands of entries; the sheets of a workbook are a few dozen. */
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
    tailBytes: ZIP_LONGEST_END,
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
    tailBytes: ZIP_LONGEST_END,
    async accepts(ends) {
      const type = await typeOf(ends.head());
      return type !== undefined && types.includes(type) && !endsLikeZip(ends.tail());
    },
  };
}

/** Names that a workbook has, and one that only a workbook with macros has; names of parts are alike in any case. */
const WORKBOOK_PARTS = ['[content_types].xml', 'xl/workbook.xml'];
const MACROS = /(?:^|\/)vbaproject\.bin$/;
/** What workbooks are compressed by. Anything else is nothing that a scanner need be able to look into. */
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
 * Formats that are told by two letters alone, which a table may well begin with. None of their files is without NUL, so
 * that nothing of theirs gets through.
 */
const TOLD_BY_TWO_LETTERS = ['image/bmp', 'application/x-msdownload'];

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
      const known = type !== undefined && !TOLD_BY_TWO_LETTERS.includes(type);
      return !known && !isTextWithMagic(Buffer.from(head).toString('utf8'));
    },
  };
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
    // Bytes that the library stumbles over are of no type that it knows.
    return undefined;
  }
}
