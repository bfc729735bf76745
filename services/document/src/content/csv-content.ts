import type { ContentRule } from './stream-ends.ts';

const HEAD_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = /^\u{FEFF}/u;
/** PDF readers look for the header within this many bytes. */
const PDF_HEADER_WITHIN = 1_024;
/** The start of an object: readers use it to find the content of a PDF with damaged tables. */
const PDF_OBJECT = /[\d\s]obj(?!\w)/;
const LONGEST_PDF_OBJECT = 5;

/**
 * Signatures of text-based formats. Binary formats are not listed, even if they begin with letters: their files are not
 * UTF-8 without NUL.
 */
const TEXT_FORMATS: readonly RegExp[] = [
  // Any markup except a row of names in angle brackets.
  /^<(?!\w[\w .-]{0,63}>[,;\t|])[a-z!?/]/i,
  /^<(?:html|head|body|script|iframe|style|svg|table|div)\b/i,
  /^#!/,
  // PostScript, including after an end-of-transmission character, and printer jobs.
  /^\p{Cc}?%!/u,
  /^\p{Cc}%-12345X/u,
  /^\{\\rtf/i,
  // Keys, certificates, and signed or encrypted messages.
  /^-----BEGIN [A-Z]/,
  // Contacts, calendars.
  /^BEGIN:V(?:CARD|CALENDAR)[\t ]*(?:[\r\n]|$)/i,
  // Registry scripts.
  /^REGEDIT4[\t ]*(?:[\r\n]|$)/i,
  /^Windows Registry Editor Version /i,
  // Messages that may contain an HTML page.
  /^MIME-Version:/i,
  // Subtitles, 3D solids and libraries.
  /^WEBVTT(?:[\t ][^\r\n]*)?(?:\r\n|\r(?!\n)|\n){2}/,
  /^solid [^\r\n]*[\r\n]\s*facet\s/i,
  /^!<arch>[\r\n]/,
];

/** Makes the rule for a text table: UTF-8 without NUL that matches no other text format. */
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
      // The checks below do not see past this much leading white space.
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
