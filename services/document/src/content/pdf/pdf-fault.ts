import type { ContentFault } from '../content-fault.ts';
import { endsLikeZip, MAX_ZIP_END_BYTES } from '../zip-archive.ts';
import { actionFault } from './pdf-actions.ts';
import { pdfObjects } from './pdf-objects.ts';
import { Unreadable } from './pdf-syntax.ts';

/** Readers look for the header and the end within this many bytes. */
const ENDS_WITHIN = 1_024;
/** What careless senders put before a PDF. */
const HEADER = /^(?:\xef\xbb\xbf)?[\0\t\n\f\r ]*%PDF-/;

/** Returns why a PDF is refused; undefined if it isn't. With `refuseActions`, reads every object. */
export function pdfFault(bytes: Buffer, refuseActions: boolean): ContentFault | undefined {
  if (!HEADER.test(bytes.toString('latin1', 0, ENDS_WITHIN))) return { rule: 'type-mismatch' };
  if (!bytes.subarray(-ENDS_WITHIN).includes('%%EOF', 0, 'latin1'))
    return { rule: 'pdf-trailing-data', part: 'end' };
  if (endsLikeZip(bytes.subarray(-MAX_ZIP_END_BYTES))) return { rule: 'pdf-trailing-data', part: 'archive' };
  if (!refuseActions) return undefined;
  try {
    return actionFault(pdfObjects(bytes));
  } catch (error) {
    if (error instanceof Unreadable) return { rule: error.rule, part: error.message };
    throw error;
  }
}
