const BYTE_ORDER_MARK = /^\u{FEFF}/u;
/** Where readers of PDF look for its beginning. */
const PDF_WITHIN = 1_024;
/** Markup of any kind, scripts, PostScript and RTF: what programs act on although it is text. */
const ACTED_ON = /^(?:<[a-z!?/]|#!|%!|\{\\rtf)/i;

/** Whether text begins like one of the formats that are text themselves, and that no table is. */
export function isTextWithMagic(head: string): boolean {
  const begun = head.replace(BYTE_ORDER_MARK, '').trimStart();
  return ACTED_ON.test(begun) || head.slice(0, PDF_WITHIN).includes('%PDF-');
}
