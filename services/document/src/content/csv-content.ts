import type { ContentRule } from './stream-ends.ts';

const HEAD_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = /^\u{FEFF}/u;
/** Where PDF readers look for the header. */
const PDF_HEADER_WITHIN = 1_024;
/** The beginning of an object, by which readers find the content of a PDF whose tables are damaged. */
const PDF_OBJECT = /[\d\s]obj(?!\w)/;
const LONGEST_PDF_OBJECT = 5;

/**
 * Beginnings of formats that are text themselves. Formats that hold bytes other than text are not listed, whatever
 * letters they begin with: their files are not UTF-8 without NUL.
 */
const TEXT_FORMATS: readonly RegExp[] = [
  // Markup of any kind, which a row of names in angle brackets is not.
  /^<(?!\w[\w .-]{0,63}>[,;\t|])[a-z!?/]/i,
  /^<(?:html|head|body|script|iframe|style|svg|table|div)\b/i,
  /^#!/,
  // PostScript, also behind an end of transmission, and printer jobs.
  /^\p{Cc}?%!/u,
  /^\p{Cc}%-12345X/u,
  /^\{\\rtf/i,
  // Keys, certificates, signed and encrypted messages.
  /^-----BEGIN [A-Z]/,
  // Contacts, calendars.
  /^BEGIN:V(?:CARD|CALENDAR)[\t ]*(?:[\r\n]|$)/i,
  // Registry scripts.
  /^REGEDIT4[\t ]*(?:[\r\n]|$)/i,
  /^Windows Registry Editor Version /i,
  // Messages that may hold a page.
  /^MIME-Version:/i,
  // Subtitles, solids, libraries.
  /^WEBVTT(?:[\t ][^\r\n]*)?(?:\r\n|\r(?!\n)|\n){2}/,
  /^solid [^\r\n]*[\r\n]\s*facet\s/i,
  /^!<arch>[\r\n]/,
];

/** Makes the rule for a table as text: UTF-8 without NUL, and no other format that is text. */
export function csv(): ContentRule {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  let isText = true;
  let hasPdfObject = false;
  let last = '';
  const take = (text: string) => {
    const seen = last + text;
    hasPdfObject ||= PDF_OBJECT.test(seen);
    last = seen.slice(-LONGEST_PDF_OBJECT);
  };
  const look = (chunk: Uint8Array) => {
    if (isText) isText = !chunk.includes(0) && decodes(() => take(decoder.decode(chunk, { stream: true })));
  };
  return {
    headBytes: HEAD_BYTES,
    tailBytes: 0,
    look,
    accepts(ends) {
      if (ends.size() === 0 || !isText || !decodes(() => take(decoder.decode()))) return false;
      const head = Buffer.from(ends.head()).toString('utf8');
      const start = head.replace(BYTE_ORDER_MARK, '').trimStart();
      // What follows that much white space is not looked at.
      if (start === '' && ends.size() > HEAD_BYTES) return false;
      return !TEXT_FORMATS.some((format) => format.test(start)) && !(hasPdfObject && hasPdfHeader(head));
    },
  };
}

export function hasPdfHeader(head: string): boolean {
  return head.slice(0, PDF_HEADER_WITHIN).includes('%PDF-');
}

function decodes(decode: () => void): boolean {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
}
