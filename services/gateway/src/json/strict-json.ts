import { isUtf8 } from 'node:buffer';
import { jsonProblem } from './json-problem.ts';
import { scanJson } from './scan-json.ts';

/** Maximum nesting depth of objects and arrays; the outermost one counts as 1. */
export const MAX_DEPTH = 32;

/** The text is not valid JSON under the contract. The message says why and quotes nothing of the text. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

/**
 * Parses one JSON text. Throws MalformedJson for bytes that are not UTF-8, for anything RFC 8259 does not allow, for
 * nesting deeper than 32 and for an object that repeats a key in any spelling. Nothing is coerced: `__proto__` is an
 * ordinary key; a number too big to represent becomes Infinity, and a non-integer that would be rounded to an integer
 * becomes NaN, which no schema accepts. Implements docs/contract.md, section 1.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  const encoding = encodingProblem(bytes);
  if (encoding) throw new MalformedJson(encoding);
  const { depth, members, hasFraction } = scanJson(bytes);
  if (depth > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  const value = parse(bytes.toString('utf8'), hasFraction ? asWritten : undefined);
  // The parser keeps only the last of equal keys, so every repetition is missing from the result.
  if (countMembers(value) !== members)
    throw new MalformedJson('An object in the body repeats a property name. Use each name once.');
  return value;
}

const GZIP = Buffer.from([0x1f, 0x8b]);
const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);
const WIDE_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/** Returns what is wrong with the encoding of the bytes; undefined for UTF-8. */
function encodingProblem(bytes: Buffer): string | undefined {
  const startsWith = (mark: Buffer) => bytes.subarray(0, mark.length).equals(mark);
  if (startsWith(GZIP)) return 'The body is compressed. Send it uncompressed.';
  if (startsWith(BYTE_ORDER_MARK)) return 'The body starts with a byte order mark. Send UTF-8 without one.';
  // In UTF-16 and UTF-32, one of the first two bytes of JSON is zero.
  if (WIDE_MARKS.some(startsWith) || bytes[0] === 0 || bytes[1] === 0)
    return 'The body is not UTF-8 but looks like UTF-16. Send UTF-8.';
  return isUtf8(bytes) ? undefined : 'The body is not valid UTF-8. Encode it as UTF-8.';
}

function parse(text: string, reviver?: typeof asWritten): unknown {
  try {
    // The third argument of a reviver is newer than the type of this function.
    return JSON.parse(text, reviver as (key: string, value: unknown) => unknown);
  } catch {
    // The parser's own message quotes the body.
    throw new MalformedJson(jsonProblem(text));
  }
}

/** Returns NaN for a non-integer that was rounded to an integer: `1.0000000000000000001` is not an integer. */
function asWritten(_key: string, value: unknown, { source }: { source?: string }): unknown {
  const isRounded = Number.isInteger(value) && source !== undefined && !isWhole(source);
  return isRounded ? Number.NaN : value;
}

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Returns whether the text of a JSON number denotes an integer: `1000.0` and `1e3` do. */
function isWhole(source: string): boolean {
  const [, whole = '', fraction = '', exponent = '0'] = NUMBER.exec(source) ?? [];
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  return /^0*$/.test(digits.slice(Math.max(point, 0)));
}

/** Counts the members of all objects in a value. Recursion is bounded because the nesting has been checked. */
function countMembers(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const children = Object.values(value);
  let count = Array.isArray(value) ? 0 : children.length;
  for (const child of children) count += countMembers(child);
  return count;
}
