const QUOTE = 0x22;
const MINUS = 0x2d;
const POINT = 0x2e;
const EXPONENT = 0x65;
/** Bit that distinguishes lower from upper case. */
const SMALL = 0x20;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

export interface JsonShape {
  /** Nesting depth of objects and arrays. */
  readonly depth: number;
  /** Members of all objects, including repeated keys. */
  readonly members: number;
  /** Whether any number has a decimal point or a negative exponent. */
  readonly hasFraction: boolean;
}

/**
 * Measures JSON in one pass over its bytes without building anything. Correct for every valid JSON text; for invalid
 * text the numbers are meaningless, but the pass still ends. In UTF-8, no byte of a multi-byte character looks like
 * ASCII.
 */
export function scanJson(bytes: Uint8Array): JsonShape {
  let open = 0;
  let depth = 0;
  let members = 0;
  let hasFraction = false;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at = endOfString(bytes, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        open += 1;
        if (open > depth) depth = open;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        open -= 1;
        break;
      case COLON:
        members += 1;
        break;
      case POINT:
        hasFraction = true;
        break;
      case MINUS:
        // In JSON, a minus sign after an e belongs to an exponent.
        if (((bytes[at - 1] ?? 0) | SMALL) === EXPONENT) hasFraction = true;
        break;
    }
  }
  return { depth, members, hasFraction };
}

function endOfString(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}
