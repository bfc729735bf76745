import { ContentRefused } from './content-fault.ts';
import { ddeFormulas } from './csv-formulas.ts';
import type { ContentRule } from './stream-ends.ts';
import { pdfSearch, type StreamSearch } from './stream-search.ts';

const HEAD_BYTES = 64 * 1024;
const BYTE_ORDER_MARK = /^\u{FEFF}/u;

/** Elements by which browsers recognise HTML, and the roots of other markup. */
const ELEMENTS = [
  ...[
    'html',
    'head',
    'title',
    'meta',
    'link',
    'base',
    'style',
    'script',
    'body',
    'iframe',
    'frameset',
    'object',
  ],
  ...[
    'embed',
    'applet',
    'form',
    'input',
    'button',
    'textarea',
    'div',
    'span',
    'p',
    'a',
    'b',
    'i',
    'u',
    'br',
    'hr',
  ],
  ...[
    'h[1-6]',
    'center',
    'font',
    'pre',
    'table',
    'img',
    'video',
    'audio',
    'svg',
    'math',
    'template',
    'marquee',
  ],
  ...[
    'xml',
    'xsl:stylesheet',
    'hta:application',
    'scriptlet',
    'job',
    'package',
    'rss',
    'feed',
    'plist',
    'wsdl',
  ],
].join('|');

/**
 * Signatures of text-based formats. Binary formats are not listed, even if they begin with letters: their files are not
 * UTF-8 without NUL.
 */
const TEXT_FORMATS: readonly RegExp[] = [
  // A known element with its closing bracket, but not a row of column names in angle brackets.
  new RegExp(`^<(?!\\w{1,64}>[,;\\t|])/?(?:${ELEMENTS})\\s*/?>`, 'i'),
  /^<(?:html|head|body|script|iframe|style|svg|table|div)\s*\/?>/i,
  // A known element with more markup after it, and any element with an attribute: `<Head Office>` is neither.
  new RegExp(`^<(?:${ELEMENTS})\\s[^<>]*>[^]*</?(?:${ELEMENTS})\\s*/?>`, 'i'),
  /^<(?:script\s[^<>]*>|[a-z][\w:-]*\s[^<>]*=)/i,
  /^<(?:\?(?:xml|php|=|\s)|!(?:doctype\s|--|\[|entity\s|element\s))/i,
  // Scripts: the path of their program, or its name.
  /^#![\t ]*(?:(?:[a-z]:)?[\\/]|(?:env|sh|bash|zsh|python|perl|ruby|node|php|pwsh)\d?\b)/i,
  // PostScript, including after an end-of-transmission character, and printer jobs.
  /^\p{Cc}?%!(?:[\r\n]|$|[\t ]*(?:PS|FontType))/u,
  /^\p{Cc}%-12345X/u,
  /^\{\\rtf/i,
  // Keys, certificates, and signed or encrypted messages.
  /^-----BEGIN (?:[A-Z0-9]+ )*(?:PRIVATE KEY|PUBLIC KEY|CERTIFICATE|CERTIFICATE REQUEST|CRL|PKCS7|CMS|PARAMETERS)-----/,
  /^-----BEGIN (?:PGP|SSH2) /,
  // Contacts, calendars.
  /^BEGIN:V(?:CARD|CALENDAR)[\t ]*(?:[\r\n]|$)/i,
  // Registry scripts.
  /^REGEDIT4[\t ]*(?:[\r\n]|$)/i,
  /^Windows Registry Editor Version /i,
  // Messages that may contain an HTML page.
  /^MIME-Version:/i,
  /^[\w-]{1,64}:(?:[^\r\n]*(?:\r\n|\r(?!\n)|\n)){1,64}?MIME-Version:/i,
  // Subtitles, 3D solids and libraries.
  /^WEBVTT(?:[\t ][^\r\n]*)?(?:\r\n|\r(?!\n)|\n){2}/,
  /^solid [^\r\n]*[\r\n]\s*facet\s/i,
  /^!<arch>[\r\n]/,
];

/** The first record of a SYLK file, which no table has, and how it may begin otherwise. */
const SYLK = /^ID;P[^\r\n;]*(?:;[NE])+\s*(?:[\r\n]|$)/i;
const SYLK_ALONE = /^ID;P\s*$/i;
const SYLK_START = /^ID;/i;
/** The longest line that is kept. */
const MAX_RECORD = 12 * 1024;

/** Searches for the records of a SYLK file, each on its own line: cells of a table may begin with the same letters. */
function sylkSearch(): StreamSearch {
  let last = '';
  let isFound = false;
  let isPossible: boolean | undefined;
  return {
    take(text) {
      if (isFound || isPossible === false) return;
      last += text;
      const start = last.trimStart();
      if (isPossible === undefined && start.length >= 'ID;'.length) isPossible = SYLK_START.test(start);
      if (!isPossible) return;
      const lines = last.split(/[\r\n]/);
      last = lines.pop()?.slice(0, MAX_RECORD) ?? '';
      isFound = lines.some(isSylkRecord);
    },
    isFound: () => isFound,
  };
}

/** Whether a line is a cell with a position or a calculation, a name, another file, or the end. */
function isSylkRecord(line: string): boolean {
  const has = (field: RegExp) => field.test(line);
  if (has(/^(?:E\s*$|NN;N|NE;.*\\)/i)) return true;
  if (has(/^[BCFW];/i) && has(/;X\d+\s*(?:;|$)/i) && has(/;Y\d+\s*(?:;|$)/i)) return true;
  return has(/^C;/i) && has(/;E[^;]*[(|!\\]/i);
}

/** Makes the rule for a text table: UTF-8 without NUL that matches no other text format, and no DDE formulas. */
export function csv(): ContentRule {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const pdf = pdfSearch();
  const records = sylkSearch();
  const formulas = ddeFormulas();
  let isText = true;
  const take = (text: string) => {
    for (const search of [pdf, records, formulas]) search.take(text);
  };
  const look = (chunk: Uint8Array) => {
    if (isText) isText = !chunk.includes(0) && decodes(() => take(decoder.decode(chunk, { stream: true })));
  };
  return {
    headBytes: HEAD_BYTES,
    tailBytes: 0,
    look,
    check(ends) {
      if (ends.size() === 0 || !isText || !decodes(() => take(decoder.decode())))
        throw new ContentRefused('csv-encoding');
      const head = Buffer.from(ends.head()).toString('utf8').replace(BYTE_ORDER_MARK, '');
      const start = head.trimStart();
      // The checks below do not see past this much leading white space.
      const isHidden = start === '' && ends.size() > HEAD_BYTES;
      if (isHidden || pdf.isFound() || TEXT_FORMATS.some((format) => format.test(start)))
        throw new ContentRefused('csv-other-format');
      records.take('\n');
      if (records.isFound() || SYLK.test(start) || SYLK_ALONE.test(start))
        throw new ContentRefused('csv-sylk');
      const line = formulas.line();
      if (line !== undefined) throw new ContentRefused('csv-dde', `line ${line}`);
    },
  };
}

function decodes(decode: () => void): boolean {
  try {
    decode();
    return true;
  } catch {
    return false;
  }
}
