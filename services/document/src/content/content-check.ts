import { fileTypeFromBuffer } from 'file-type';
import { type ContentType, contentTypeOf } from '../model/content-types.ts';
import { csv, hasPdfHeader } from './csv-content.ts';
import { type ImageWalk, jpegWalk, pngWalk } from './image-walks.ts';
import { pdfActions } from './pdf-actions.ts';
import { type ContentRule, streamEnds } from './stream-ends.ts';
import { workbook } from './workbook-content.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES } from './zip-directory.ts';

/** Inspects a stream on its way to the scanner. */
export interface ContentCheck {
  take(chunk: Uint8Array): void;
  /** Whether the stream, which has ended, is of its declared type. */
  matches(): Promise<boolean>;
  size(): number;
}

/** For a type that is not accepted. */
const NOTHING_MATCHES: ContentRule = { headBytes: 0, tailBytes: 0, accepts: () => false };

/** What applies where an operator has decided nothing. */
export const CONTENT_POLICY: ContentPolicy = { refusePdfActions: true };

/**
 * Checks content against its declared type: by its first and last bytes, text byte by byte, images from their first
 * marker to their last. Buffers some mebibytes at most. Nothing matches a type that is not accepted. Implements docs/contract.md, section 2.
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
    matches: async () => rule.accepts(ends),
    size: ends.size,
  };
}

/** What an operator may decide about content. */
export interface ContentPolicy {
  /** Whether PDFs are refused that can run scripts or programs. */
  readonly refusePdfActions: boolean;
}

const HEAD_BYTES = 64 * 1024;
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
