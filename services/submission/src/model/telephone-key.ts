import { Metadata, parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isOneRepeated } from './company-number.ts';
import { foldedText, isRounded, unscaled } from './folded-text.ts';

/** Fewer digits identify nobody; more are no number of E.164. */
const MIN_DIGITS = 7;
const MAX_DIGITS = 15;
const LETTERS = /\p{L}/u;
const NOT_A_DIGIT = /\D/g;
const PLAIN = /^[+0-9 ()-]+$/;
const PUNCTUATION = /[ ()-]/g;
/** By far the most: British numbers as people and systems write them. */
const BRITISH = /^(?:0|\+44)([1-9][0-9]+)$/;
const EXTENSION = /[\s,;(]*(?:;ext=|\bext(?:ensio)?n?\b\.?|x|#|\bint\b\.?)[\s:.]*\d{1,6}\W*$/i;
/** `1) 07700 900123`. */
const LIST_MARKER = /^\W*\d{1,2}[).:]\s+(?=[+0])/;
/** American and Australian prefixes of calls abroad; no other number has so many digits. */
const DIALLED_FROM_ABROAD = /^00?11(?=440?\d{9,10}$)/;
/** A note, such as `(Jo, after 6)`. */
const NOTE = /\([^()]*\p{L}[^()]*\)/gu;
/** What separates a second number from the first. */
const NEXT = /[/|;,&\n\r]|\bor\b|\band\b/i;
/** Digits before a separator that are more than the first part of one number. */
const MIN_OF_FIRST = 9;

const POSSIBLE_LENGTHS = possibleLengthsOf('GB');

function possibleLengthsOf(country: 'GB'): ReadonlySet<number> {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  return new Set(metadata.numberingPlan?.possibleLengths());
}

/** Reports whether a text is a telephone number that can be called as it stands. */
export function isTelephoneNumber(text: string): boolean {
  return britishNumber(text) !== undefined || parsed(text, 'GB') !== undefined;
}

/**
 * Returns the number that a text names, in E.164 where it can be a number; undefined if it names none. More tolerant
 * than `isTelephoneNumber`: letters are ignored, seven digits are enough, and prefixes are read as they were meant. The
 * same number in another spelling must not pass for another customer.
 */
export function telephoneKey(text: string): string | undefined {
  return britishNumber(text) ?? tolerantNumber(unscaled(foldedText(text)));
}

/** Returns a British number in E.164 without the cost of a parser, which is most of a create's. */
function britishNumber(text: string): string | undefined {
  if (!PLAIN.test(text)) return undefined;
  const [, national] = BRITISH.exec(text.replace(PUNCTUATION, '')) ?? [];
  return national !== undefined && POSSIBLE_LENGTHS.has(national.length) && !isOneRepeated(national)
    ? `+44${national}`
    : undefined;
}

function tolerantNumber(folded: string): string | undefined {
  if (isRounded(folded)) return undefined;
  const written = folded.replace(/%2b/gi, '+').replace(/%20/g, ' ');
  const readings = withoutDecimals(firstNumber(written.replace(NOTE, ' ').replace(LIST_MARKER, ''))).flatMap(
    (text) => {
      const bare = text.replace(EXTENSION, '');
      return [...readingsOf(bare), ...(bare === text ? [] : readingsOf(text))];
    },
  );
  const placeholder = readings.some((reading) => isOneRepeated(reading.replace(/^\+(?:44)?0*/, '')));
  if (placeholder) return undefined;
  for (const reading of readings) {
    const number = parsed(reading);
    if (number !== undefined) return number;
  }
  const named = LETTERS.test(written) ? parsed(written, 'GB') : undefined;
  return named ?? readings.find((reading) => reading.length <= 1 + MAX_DIGITS);
}

/** Returns the texts that a number with a spreadsheet's decimals can mean, likeliest first. */
function withoutDecimals(text: string): string[] {
  const [, whole] = /^([^.]*\d)\.0{1,2}\D*$/.exec(text) ?? [];
  if (whole === undefined) return [text];
  // In `0161 496 000.0`, the last zero is a digit of the number.
  return /^\W*[1-9]\d*$/.test(whole) ? [whole] : [text, whole];
}

/** Returns the text before a second number. */
function firstNumber(text: string): string {
  for (let from = 0; ; ) {
    const found = NEXT.exec(text.slice(from));
    if (!found) return text;
    const before = text.slice(0, from + found.index);
    if (before.replace(NOT_A_DIGIT, '').length >= MIN_OF_FIRST) return before;
    from += found.index + found[0].length;
  }
}

/** Returns the international numbers that the digits of a text can mean, likeliest first. */
function readingsOf(text: string): string[] {
  const digits = text.replace(NOT_A_DIGIT, '').replace(DIALLED_FROM_ABROAD, '00');
  const number = digits.replace(/^0+/, '');
  if (number.length < MIN_DIGITS) return [];
  const isInternational = digits.startsWith('00') || (!digits.startsWith('0') && /^\D*\+/.test(text));
  const national = number.replace(/^(?:440*)+(?=\d{7})/, '').replace(/^0+/, '');
  const british = national.length < MIN_DIGITS ? [] : [`+44${national}`];
  const foreign = [`+${number}`];
  const isBritish = number.startsWith('44') && (isInternational || number.length > 10);
  if (isBritish || (digits.startsWith('0') && !isInternational)) return british;
  return isInternational ? [...foreign, ...british] : [...british, ...foreign];
}

/** Returns the number in E.164 if its region has numbers of that length; undefined also for one repeated digit. */
function parsed(text: string, country?: 'GB'): string | undefined {
  const number = parsePhoneNumberFromString(text, country);
  return number?.isPossible() && !isOneRepeated(number.nationalNumber) ? number.number : undefined;
}
