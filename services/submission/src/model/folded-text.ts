/** Invisible characters: soft hyphens, joiners, variation selectors, direction marks, blank braille, controls. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\u2800]|[^\P{Cc}\s]/gu;
const PLAIN = /^[ -~]*$/;
const OTHER_DIGIT = /(?![0-9])\p{Nd}/gu;
const DIGIT = /\p{Nd}/u;

/**
 * Returns a text as its reader sees it, for comparing: without invisible characters, and with full-width letters and
 * the digits of every script in ASCII. Plain ASCII is returned unchanged.
 */
export function foldedText(text: string): string {
  if (PLAIN.test(text)) return text;
  const seen = text.replace(UNSEEN, '').normalize('NFKC').replace(UNSEEN, '').normalize('NFKC');
  return seen.replace(OTHER_DIGIT, digitOf);
}

/** Scripts have their ten digits in order, after a character that is no digit. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  let value = 0;
  while (value < 9 && DIGIT.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

/** Returns a number that a spreadsheet wrote with all its digits (`7.700900155E9`) without the exponent. */
export const unscaled = (text: string): string =>
  text.replace(/^(\W*)(\d)[.,](\d+)E\+?0*(\d+)(\W*)$/i, (whole, before, first, rest, exponent, after) =>
    rest.length === Number(exponent) ? `${before}${first}${rest}${after}` : whole,
  );

/** Reports whether a spreadsheet has rounded a long number (`4.47701E+11`): its last digits are lost. */
export const isRounded = (text: string): boolean => /^\W*\d[.,]?\d*E\+?\d+\W*$/i.test(text);
