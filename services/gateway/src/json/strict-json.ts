import { isUtf8 } from 'node:buffer';
import { scanJson } from './scan-json.ts';

/** The deepest nesting of objects and arrays that is read; the outermost one counts as 1. */
export const MAX_DEPTH = 32;

/** The text is not JSON as the contract wants it. The message says why and quotes nothing of it. */
export class MalformedJson extends Error {
  override readonly name = 'MalformedJson';
}

/**
 * Reads one JSON text. Throws MalformedJson for bytes that are not UTF-8, for anything RFC 8259 does not allow, for
 * nesting deeper than 32 and for an object that names a key twice, however the key is spelled. Nothing is coerced:
 * `__proto__` is a key like any other, and a number too big to hold becomes Infinity, which no schema accepts.
 * Implements docs/contract.md, section 1.
 */
export function parseStrictJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new MalformedJson('The body is not valid UTF-8.');
  const { depth, members } = scanJson(bytes);
  if (depth > MAX_DEPTH) throw new MalformedJson(`The body is nested deeper than ${MAX_DEPTH} levels.`);
  const value = parse(bytes.toString('utf8'));
  // Parsing keeps only the last of equal keys, so every repetition is missing from the result.
  if (countMembers(value) !== members) throw new MalformedJson('The body has an object with a repeated key.');
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own message quotes the body.
    throw new MalformedJson('The body is not valid JSON.');
  }
}

/** Members of all objects in a value. Recursion is bounded: the nesting has been checked. */
function countMembers(value: unknown): number {
  if (value === null || typeof value !== 'object') return 0;
  const children = Object.values(value);
  let count = Array.isArray(value) ? 0 : children.length;
  for (const child of children) count += countMembers(child);
  return count;
}
