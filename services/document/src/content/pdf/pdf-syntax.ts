/** The name of a type, a key, an action and so on, with its escapes decoded. */
export interface PdfName {
  readonly kind: 'name';
  readonly name: string;
}

/** A string, as written: without its brackets, not decoded, possibly encrypted. */
export interface PdfText {
  readonly kind: 'text';
  readonly source: Buffer;
  readonly start: number;
  readonly end: number;
  readonly isHexadecimal: boolean;
}

export interface PdfReference {
  readonly kind: 'reference';
  readonly number: number;
}

export interface PdfArray {
  readonly kind: 'array';
  readonly items: readonly PdfValue[];
}

/** Keeps every value of a repeated key, since readers differ in which one they use. */
export interface PdfDictionary {
  readonly kind: 'dictionary';
  readonly entries: ReadonlyMap<string, readonly PdfValue[]>;
}

export type PdfValue = PdfName | PdfText | PdfReference | PdfArray | PdfDictionary | number | boolean | null;

const isOf = (value: PdfValue | undefined, kind: string) => typeof value === 'object' && value?.kind === kind;
export const isText = (value: PdfValue | undefined): value is PdfText => isOf(value, 'text');
export const isReference = (value: PdfValue | undefined): value is PdfReference => isOf(value, 'reference');
export const isArray = (value: PdfValue | undefined): value is PdfArray => isOf(value, 'array');
export const isDictionary = (value: PdfValue | undefined): value is PdfDictionary =>
  isOf(value, 'dictionary');
/** Whether a value is a name, or this one. */
export const isName = (value: PdfValue | undefined, name?: string): value is PdfName =>
  isOf(value, 'name') && (name === undefined || (value as PdfName).name === name);

/** Readers could read the bytes differently, or not at all. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable';
  readonly rule: 'pdf-unreadable' | 'pdf-encrypted';
  /** Position that the parser reached. */
  at = 0;
  constructor(
    message: string,
    { rule = 'pdf-unreadable', ...options }: ErrorOptions & { rule?: Unreadable['rule'] } = {},
  ) {
    super(message, options);
    this.rule = rule;
  }
}

const MAX_DEPTH = 500;
const MAX_VALUES = 1_000_000;
/** Readers differ in how they read larger numbers. */
export const MAX_OBJECT_NUMBER = 2 ** 31 - 1;
const MAX_GENERATION = 65_535;
const LONGEST_WORD = 16 * 1024;

const signs = (text: string) =>
  Uint8Array.from({ length: 256 }, (_, code) => Number(text.includes(String.fromCharCode(code))));
const WHITE = signs('\0\t\n\f\r ');
const ENDS_WORD = signs('\0\t\n\f\r ()<>[]{}/%');
const HEXADECIMAL = signs('0123456789abcdefABCDEF\0\t\n\f\r ');

/** Includes what careless writers print: `--1`, `1-`, `1.2.3`, `1e-5`. */
const NUMBER = /^[\d.+-]+(?:e[+-]?\d+)?$/i;
/** What careless writers print for a number that they could not calculate. */
const NOT_A_NUMBER = /^[+-]?(?:nan|inf|infinity|undefined)$/i;
const STRAY = /^[a-z,.-]{1,64}$/i;
/** What ends an object for some readers, or is a value. */
const KEYWORDS = /^(?:R|true|false|null|trailer|xref|startxref)$|obj|stream/i;
const WORDS: ReadonlyMap<string, PdfValue> = new Map<string, PdfValue>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/**
 * Reads the object at a position (ISO 32000-2, 7.3). Strict, because readers repair errors differently. The value
 * is undefined at a keyword, a closing bracket or the end. Throws Unreadable.
 */
export function parseValue(
  bytes: Buffer,
  from: number,
): { readonly value: PdfValue | undefined; readonly end: number } {
  let at = from;
  let values = 0;
  try {
    const value = valueAt(0);
    return { value, end: at };
  } catch (error) {
    if (error instanceof Unreadable) error.at = at;
    throw error;
  }

  function valueAt(depth: number): PdfValue | undefined {
    at = skipWhite(bytes, at);
    values += 1;
    if (depth > MAX_DEPTH || values > MAX_VALUES) throw new Unreadable('too many values');
    switch (bytes[at]) {
      case 0x2f:
        return { kind: 'name', name: nameAt() };
      case 0x28:
        return textAt();
      case 0x5b:
        return arrayAt(depth);
      case 0x3c:
        return bytes[at + 1] === 0x3c ? dictionaryAt(depth) : hexadecimalAt();
      default:
        return wordAt();
    }
  }

  function nameAt(): string {
    const start = at + 1;
    at = wordEnd(bytes, start);
    const raw = bytes.toString('latin1', start, at);
    return raw.includes('#') ? unescaped(raw) : raw;
  }

  function dictionaryAt(depth: number): PdfDictionary {
    const entries = new Map<string, PdfValue[]>();
    at += 2;
    for (;;) {
      at = skipWhite(bytes, at);
      if (bytes[at] === 0x3e && bytes[at + 1] === 0x3e) break;
      if (bytes[at] !== 0x2f) {
        skipStray();
        continue;
      }
      const key = nameAt();
      const entry = valueAt(depth + 1);
      if (entry === undefined) throw new Unreadable('not a value');
      const others = entries.get(key);
      if (others) others.push(entry);
      else entries.set(key, [entry]);
    }
    at += 2;
    return { kind: 'dictionary', entries };
  }

  /** Skips the rest of a name that was written with a space, as readers do. */
  function skipStray(): void {
    const text = word(bytes, at);
    if (!STRAY.test(text) || KEYWORDS.test(text)) throw new Unreadable('not a key');
    at += text.length;
  }

  function arrayAt(depth: number): PdfArray {
    const items: PdfValue[] = [];
    at += 1;
    for (;;) {
      const item = valueAt(depth + 1);
      if (item !== undefined) items.push(item);
      else if (bytes[at] === 0x5d) break;
      else if (NOT_A_NUMBER.test(word(bytes, at))) at = wordEnd(bytes, at);
      else throw new Unreadable('not an item');
    }
    at += 1;
    return { kind: 'array', items };
  }

  function textAt(): PdfText {
    const start = at + 1;
    let open = 1;
    for (at = start; open > 0; at += 1) {
      const byte = bytes[at];
      if (byte === undefined) throw new Unreadable('string without end');
      if (byte === 0x5c) at += 1;
      else if (byte === 0x28) open += 1;
      else if (byte === 0x29) open -= 1;
    }
    return { kind: 'text', source: bytes, start, end: at - 1, isHexadecimal: false };
  }

  function hexadecimalAt(): PdfText {
    const start = at + 1;
    for (at = start; HEXADECIMAL[bytes[at] ?? 0x3e] === 1; ) at += 1;
    if (bytes[at] !== 0x3e) throw new Unreadable('string with other signs');
    at += 1;
    return { kind: 'text', source: bytes, start, end: at - 1, isHexadecimal: true };
  }

  function wordAt(): PdfValue | undefined {
    const end = integerEnd(bytes, at);
    if (end > at) {
      const number = integerOf(bytes, at, end);
      at = end;
      return isReferenced() ? { kind: 'reference', number: objectNumber(number) } : number;
    }
    const text = word(bytes, at);
    const known = WORDS.get(text);
    if (known === undefined && !NUMBER.test(text)) return undefined;
    at += text.length;
    return known === undefined ? Number.parseFloat(text) : known;
  }

  /** Skips a generation and `R` if they follow an integer. */
  function isReferenced(): boolean {
    const generationAt = skipWhite(bytes, at);
    const generationEnd = integerEnd(bytes, generationAt);
    if (generationEnd === generationAt) return false;
    const keywordAt = skipWhite(bytes, generationEnd);
    if (bytes[keywordAt] !== 0x52 || !endsWord(bytes[keywordAt + 1])) return false;
    if (integerOf(bytes, generationAt, generationEnd) > MAX_GENERATION) throw new Unreadable('reference');
    at = keywordAt + 1;
    return true;
  }
}

function objectNumber(number: number): number {
  if (number > MAX_OBJECT_NUMBER) throw new Unreadable('reference');
  return number;
}

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

/** Returns the end of an unsigned integer; its position if there is none. */
function integerEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  return endsWord(bytes[at]) ? at : from;
}

function integerOf(bytes: Buffer, start: number, end: number): number {
  let value = 0;
  for (let at = start; at < end; at += 1) value = value * 10 + (bytes[at] ?? 0) - 0x30;
  return value;
}

/** Returns the position after white space and comments. */
export function skipWhite(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    while (isWhite(bytes[at])) at += 1;
    if (bytes[at] !== 0x25) return at;
    while (at < bytes.length && bytes[at] !== 0x0a && bytes[at] !== 0x0d) at += 1;
  }
}

export const isWhite = (byte: number | undefined): boolean => byte !== undefined && WHITE[byte] === 1;
export const endsWord = (byte: number | undefined): boolean => byte === undefined || ENDS_WORD[byte] === 1;

/** Returns the number or keyword at a position. */
export const word = (bytes: Buffer, at: number): string =>
  bytes.toString('latin1', at, Math.min(wordEnd(bytes, at), at + LONGEST_WORD));

function wordEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (!endsWord(bytes[at])) at += 1;
  return at;
}

/**
 * Decodes `#hh`. A reader that leaves an escape as it is sees a name with `#`, which no rule is about. Some readers
 * decode other signs after `#` too, so these are computed in the same way.
 */
function unescaped(raw: string): string {
  const name = raw.replace(/#([\s\S]{2})/g, (_, digits: string) =>
    String.fromCharCode((digit(digits, 0) * 16 + digit(digits, 1)) & 0xff),
  );
  // Readers in C end a text here.
  if (name.includes('\0')) throw new Unreadable('name with NUL');
  return name;
}

function digit(digits: string, index: number): number {
  const code = digits.toUpperCase().charCodeAt(index);
  return code > 0x39 ? code - 0x37 : code - 0x30;
}

export function bytesOf({ source, start, end, isHexadecimal }: PdfText): Buffer {
  if (!isHexadecimal) return Buffer.from(literal(source.toString('latin1', start, end)), 'latin1');
  const digits = source.toString('latin1', start, end).replace(/[^0-9a-f]/gi, '');
  return Buffer.from(digits.length % 2 === 0 ? digits : `${digits}0`, 'hex');
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', f: '\f' };

const literal = (text: string): string =>
  text.replace(/\\(?:([0-7]{1,3})|\r\n|([\s\S]))|\r\n?/g, (all, octal?: string, sign?: string) => {
    if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8) & 0xff);
    if (sign === undefined) return all.startsWith('\\') ? '' : '\n';
    return sign === '\n' || sign === '\r' ? '' : (ESCAPES[sign] ?? sign);
  });
