import { foldedText, unscaled } from './folded-text.ts';

/** Most numbers have no suffix. */
const PLAIN = [''];
/** Suffixes that registered societies kept from their former registers. */
const SOCIETY = ['', 'R', 'RS'];

/**
 * The prefixes of the numbers that Companies House publishes, each with the suffixes that may follow the digits. The
 * source is the guide to the uniform resource identifiers of its open data.
 */
export const PUBLISHED_NUMBERS: ReadonlyMap<string, readonly string[]> = new Map([
  // England and Wales, or the whole of the United Kingdom.
  ['', PLAIN],
  ['AC', PLAIN], // Assurance companies
  ['BR', PLAIN], // Branches of overseas companies
  ['CE', PLAIN], // Charitable incorporated organisations
  ['FC', PLAIN], // Overseas companies
  ['FE', PLAIN], // Further education corporations
  ['GE', PLAIN], // Economic interest groupings
  ['IC', PLAIN], // Investment companies with variable capital
  ['IP', SOCIETY], // Industrial and provident societies
  ['LP', PLAIN], // Limited partnerships
  ['OC', PLAIN], // Limited liability partnerships
  ['OE', PLAIN], // Overseas entities
  ['PC', PLAIN], // Protected cell companies
  ['RC', PLAIN], // Royal charter bodies
  ['RS', SOCIETY], // Registered societies
  ['SE', PLAIN], // European companies
  ['ZC', PLAIN], // Unregistered companies
  // Scotland.
  ['CS', PLAIN], // Charitable incorporated organisations
  ['ES', PLAIN], // European companies
  ['GS', PLAIN], // Economic interest groupings
  ['SA', PLAIN], // Assurance companies
  ['SC', PLAIN], // Companies
  ['SF', PLAIN], // Overseas companies
  ['SG', PLAIN], // Qualifying partnerships
  ['SI', PLAIN], // Investment companies with variable capital
  ['SL', PLAIN], // Limited partnerships
  ['SO', PLAIN], // Limited liability partnerships
  ['SP', SOCIETY], // Industrial and provident societies
  ['SR', PLAIN], // Royal charter bodies
  ['SZ', PLAIN], // Unregistered companies
  // Northern Ireland.
  ['EN', PLAIN], // European companies
  ['GN', PLAIN], // Economic interest groupings
  ['NA', PLAIN], // Assurance companies
  ['NC', PLAIN], // Limited liability partnerships
  ['NF', PLAIN], // Overseas companies
  ['NI', PLAIN], // Companies
  ['NL', PLAIN], // Limited partnerships
  ['NO', SOCIETY], // Credit unions
  ['NP', SOCIETY], // Industrial and provident societies
  ['NR', PLAIN], // Royal charter bodies
  ['NV', PLAIN], // Investment companies with variable capital
  ['NZ', PLAIN], // Unregistered companies
  ['R0', PLAIN], // Companies registered before the partition of Ireland
]);

const LENGTH = 8;
/** A digit in a prefix takes precedence: `R0` and six digits, not a letter and seven. */
const PARTS = /^(?<prefix>[A-Z]{2}|R0|)(?<digits>\d+)(?<suffix>[A-Z]*)$/;
const NUMERO = /№|nº/i;
const OUTER = /^['"`´’‘“”=(]+|['"`´’‘“”.,;:)/|]+$/gu;
/** `NO123456` and `GE123456` are published, and come first. */
const INTRODUCTION =
  /^(?:UK|GB|COMPANY|CO\.|REG(?:ISTERED|ISTRATION|\.)?|CRN|NUMBER|NUM\.?|NO[.:]?|[.:#])+(?=[A-Z0-9])/;
/** What stands after a number that has nearly all its digits. `(R)` may be a suffix. */
const NOTE = /(?<=\d{6}|\d{5}R|\d{4}RS),?(?:\(\p{L}{3,}\)|\[\p{L}{3,}\]|LTD\.?|LIMITED|PLC|LLP|CIC|CYF)\.?$/u;
const DOTTED_PREFIX = /^([A-Z])\.([A-Z])\.?(?=\d)/;
/** Other groups are dates, sort codes or ranges of years. */
const GROUPS = /^(?:\d{2}[-.]|[A-Z]{2}[-.]?)\d{3}[-.]\d{3}$/;
const LETTER_O = /^O+(?=\d{6,7}$)/;
const AFTER_PREFIX = /(?<=^[A-Z]{2})[-./:]+(?=\d)/;
/** As spreadsheets write numbers. */
const DECIMALS = /(?<=\d)\.0+$/;
const THOUSANDS = /^\d{1,3}(?:,\d{3})+$/;

/**
 * Normalises a company number to the form published by Companies House: upper case without white space, with leading
 * zeros before its digits, eight characters in total. Drops what people and spreadsheets write around it: `No.`, `GB`,
 * an apostrophe, `.0`. Returns undefined for any other format, for zeros, and for one repeated digit without a prefix.
 */
export function companyNumberOf(text: string): string | undefined {
  const compact = unscaled(foldedText(text.replace(NUMERO, 'No.')))
    .replace(/\s/gu, '')
    .toUpperCase();
  const bare = spelledOut(compact.replace(NOTE, '').replace(OUTER, ''));
  return publishedNumber(bare) ?? publishedNumber(withoutIntroduction(bare));
}

function spelledOut(bare: string): string {
  const grouped = GROUPS.test(bare) ? bare.replace(/[-.]/g, '') : bare;
  return grouped.replace(DOTTED_PREFIX, '$1$2').replace(LETTER_O, '');
}

function withoutIntroduction(bare: string): string {
  const inner = bare.replace(INTRODUCTION, '').replace(OUTER, '').replace(DECIMALS, '');
  return THOUSANDS.test(inner) ? inner.replaceAll(',', '') : inner.replace(AFTER_PREFIX, '');
}

function publishedNumber(compact: string): string | undefined {
  const { prefix = '', digits = '', suffix = '' } = PARTS.exec(compact)?.groups ?? {};
  if (digits === '' || !PUBLISHED_NUMBERS.get(prefix)?.includes(suffix)) return undefined;
  const significant = prefix === '' ? digits : digits.replace(/^0+/, '');
  const number = `${prefix}${significant.padStart(LENGTH - prefix.length - suffix.length, '0')}${suffix}`;
  // With a prefix or leading zeros, a repeated digit is a genuine registered number.
  const isPlaceholder = /^0+$/.test(digits) || (prefix === '' && isOneRepeated(digits));
  return number.length === LENGTH && !isPlaceholder ? number : undefined;
}

/**
 * Reports whether a number is one repeated digit, as people type when they have no number. A single digit is a number.
 */
export function isOneRepeated(digits: string): boolean {
  return /^(\d)\1+$/.test(digits);
}
