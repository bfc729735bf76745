import { fileTypeFromBuffer } from 'file-type';
import { type ContentType, contentTypeOf } from '../model/content-types.ts';
import { type ContentFault, ContentRefused } from './content-fault.ts';
import { csv } from './csv-content.ts';
import { type ImageWalk, jpegWalk, pngWalk } from './image-walks.ts';
import { pdfFault } from './pdf/pdf-fault.ts';
import { type ContentRule, streamEnds } from './stream-ends.ts';
import { pdfSearch } from './stream-search.ts';
import { workbook } from './workbook-content.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES } from './zip-archive.ts';

/** Inspects a stream on its way to the scanner. */
export interface ContentCheck {
  take(chunk: Uint8Array): void;
  /** Resolves to why the completed stream fails; undefined if it may pass. */
  fault(): Promise<ContentFault | undefined>;
  size(): number;
}

const mismatch = () => new ContentRefused('type-mismatch');

/** For a type that is not accepted. */
const NOTHING_MATCHES: ContentRule = {
  headBytes: 0,
  tailBytes: 0,
  check() {
    throw mismatch();
  },
};

export const CONTENT_POLICY: ContentPolicy = { refusePdfActions: true };

/**
 * Checks content against its declared type: by its first and last bytes, text byte by byte, images from their first
 * marker to their last, PDFs and workbooks part by part. Buffers these two, and a few mebibytes of other files. A type that is
 * not accepted never matches. Implements docs/contract.md, section 2.
 */
export function contentCheck(declaredType: string, policy = CONTENT_POLICY): ContentCheck {
  const type: ContentType | undefined = contentTypeOf(declaredType);
  const rule = type ? contentRules[type](policy) : NOTHING_MATCHES;
  const ends = streamEnds(rule.headBytes, rule.tailBytes);
  return {
    take(chunk) {
      ends.take(chunk);
      rule.look?.(chunk);
    },
    async fault() {
      try {
        await rule.check(ends);
        return undefined;
      } catch (error) {
        if (error instanceof ContentRefused) return error.fault;
        throw error;
      }
    },
    size: ends.size,
  };
}

/** The content policy that an operator can configure. */
export interface ContentPolicy {
  /** Refuses PDFs that can run scripts or programs. */
  readonly refusePdfActions: boolean;
}

const HEAD_BYTES = 64 * 1024;

export const contentRules: Record<ContentType, (policy: ContentPolicy) => ContentRule> = {
  'application/pdf': pdf,
  'image/jpeg': () => image(['image/jpeg'], jpegWalk()),
  // An animated PNG has its own media type.
  'image/png': () => image(['image/png', 'image/apng'], pngWalk()),
  'text/csv': csv,
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': workbook,
};

/** Buffers the file: readers of PDFs begin at its end. */
function pdf({ refusePdfActions }: ContentPolicy): ContentRule {
  const chunks: Uint8Array[] = [];
  return {
    headBytes: 0,
    tailBytes: 0,
    look: (chunk) => {
      chunks.push(chunk);
    },
    check() {
      const fault = pdfFault(Buffer.concat(chunks), refusePdfActions);
      if (fault) throw new ContentRefused(fault.rule, fault.part);
    },
  };
}

/** Accepts only the image: its metadata may contain neither an archive nor a whole PDF. */
function image(types: readonly string[], walk: ImageWalk): ContentRule {
  const inside = pdfSearch();
  return {
    headBytes: HEAD_BYTES,
    tailBytes: MAX_ZIP_END_BYTES,
    look(chunk) {
      walk.take(chunk);
      inside.take(Buffer.from(chunk).toString('latin1'));
    },
    async check(ends) {
      if (!types.includes((await typeOf(ends.head())) ?? '')) throw mismatch();
      if (walk.isTooLarge()) throw new ContentRefused('picture-too-large');
      if (inside.isFound() || endsLikeZip(ends.tail())) throw new ContentRefused('picture-mixed');
      if (!walk.isWhole()) throw new ContentRefused('picture-damaged');
    },
  };
}

async function typeOf(head: Uint8Array): Promise<string | undefined> {
  try {
    return (await fileTypeFromBuffer(head))?.mime;
  } catch {
    // The library fails on some bytes that match no type it knows.
    return undefined;
  }
}
