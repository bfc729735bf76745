import { fileTypeFromBuffer } from 'file-type';
import type { ContentType } from '../model/content-types.ts';
import { csv, hasPdfHeader } from './csv-content.ts';
import { type ImageWalk, jpegWalk, pngWalk } from './image-walks.ts';
import { pdfActions } from './pdf-actions.ts';
import type { ContentRule } from './stream-ends.ts';
import { workbook } from './workbook-content.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES } from './zip-directory.ts';

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
