import { fileTypeFromBuffer } from 'file-type';
import type { ContentType } from '../../domain/content-types.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES, zipEntries } from '../../domain/zip-directory.ts';
import { csv, hasPdfHeader } from './csv-content.ts';
import { type ImageWalk, jpegWalk, pngWalk } from './image-walks.ts';
import { pdfActions } from './pdf-actions.ts';
import type { ContentRule, StreamEnds } from './stream-ends.ts';
import { areQuietTypes, contentTypesOf, isActiveName, MAX_TYPES_BYTES } from './workbook-parts.ts';

/** What an operator may decide about content. */
export interface ContentPolicy {
  /** Whether PDFs are refused that can run scripts or programs. */
  readonly refusePdfActions: boolean;
}

const HEAD_BYTES = 64 * 1024;
/** Enough for some thousands of entries; a workbook has a few dozen. */
const DIRECTORY_BYTES = 1024 * 1024;
const PDF_END_WITHIN = 1_024;

export const contentRules: Record<ContentType, (policy: ContentPolicy) => ContentRule> = {
  'application/pdf': pdf,
  'image/jpeg': () => image(['image/jpeg'], jpegWalk()),
  // An animated one is a PNG, too.
  'image/png': () => image(['image/png', 'image/apng'], pngWalk()),
  'text/csv': csv,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': workbook,
};

function pdf({ refusePdfActions }: ContentPolicy): ContentRule {
  const actions = refusePdfActions ? pdfActions() : undefined;
  return {
    headBytes: HEAD_BYTES,
    tailBytes: MAX_ZIP_END_BYTES,
    ...(actions ? { look: actions.take } : {}),
    async accepts(ends) {
      const [head, tail] = [ends.head(), ends.tail()];
      return (
        startsWith(head, '%PDF-') &&
        Buffer.from(tail.subarray(-PDF_END_WITHIN)).includes('%%EOF', 0, 'latin1') &&
        (await typeOf(head)) === 'application/pdf' &&
        !endsLikeZip(tail) &&
        (actions?.areNone() ?? true)
      );
    },
  };
}

/** Nothing but the image, and neither an archive nor a PDF in what an image may carry besides its picture. */
function image(types: readonly string[], walk: ImageWalk): ContentRule {
  return {
    headBytes: HEAD_BYTES,
    tailBytes: MAX_ZIP_END_BYTES,
    look: walk.take,
    async accepts(ends) {
      const head = ends.head();
      const type = await typeOf(head);
      return (
        type !== undefined &&
        types.includes(type) &&
        walk.isWhole() &&
        !hasPdfHeader(Buffer.from(head).toString('latin1')) &&
        !endsLikeZip(ends.tail())
      );
    },
  };
}

/** Parts that every workbook has; part names are case-insensitive. */
const CONTENT_TYPES_PART = '[content_types].xml';
const WORKBOOK_PARTS = [CONTENT_TYPES_PART, 'xl/workbook.xml'];
/** The compression methods of workbooks: stored and deflate. Scanners may be unable to read others. */
const METHODS = [0, 8];

/**
 * A workbook without macros, Excel 4 sheets, embedded objects and links to other files. Its content types must lie
 * within the first or the last mebibyte, where every program puts them.
 */
function workbook(): ContentRule {
  return {
    headBytes: MAX_TYPES_BYTES,
    tailBytes: DIRECTORY_BYTES,
    accepts(ends) {
      if (!startsWith(ends.head(), 'PK\x03\x04')) return false;
      const entries = zipEntries(ends.tail(), ends.size()) ?? [];
      const names = entries.map(({ name }) => name.toLowerCase().replaceAll('\\', '/'));
      const types = entries[names.indexOf(CONTENT_TYPES_PART)];
      const text = types && contentTypesOf(types, (offset, length) => sliceOf(ends, offset, length));
      return (
        entries.every(({ method }) => METHODS.includes(method)) &&
        WORKBOOK_PARTS.every((part) => names.includes(part)) &&
        // Of two parts with one name, each reader picks its own.
        new Set(names).size === names.length &&
        !names.some(isActiveName) &&
        text !== undefined &&
        areQuietTypes(text)
      );
    },
  };
}

/** Bytes of the stream that are in what was kept of its beginning or its end. */
function sliceOf(ends: StreamEnds, offset: number, length: number): Buffer | undefined {
  for (const [kept, from] of [
    [ends.head(), 0],
    [ends.tail(), ends.size() - ends.tail().length],
  ] as const)
    if (offset >= from && offset + length <= from + kept.length)
      return Buffer.from(kept.subarray(offset - from, offset - from + length));
  return undefined;
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
