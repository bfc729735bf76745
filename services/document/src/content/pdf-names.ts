/** Names of PDF actions that run a script or a program. Renditions can carry scripts. */
export const ACTIONS: ReadonlySet<string> = new Set(['JavaScript', 'Launch', 'Rendition']);
export const OBJECT_STREAM = 'ObjStm';
export const TABLE_OF_OBJECTS = 'XRef';
export const ENCRYPTION = 'Encrypt';
/** Every relevant name by its first character; no two share one. */
const NAMES = new Map(
  [...ACTIONS, OBJECT_STREAM, TABLE_OF_OBJECTS, ENCRYPTION].map((name) => [name.charCodeAt(0), name]),
);
const LONGEST_NAME = Math.max(...[...NAMES.values()].map(({ length }) => length));
/** The slash, a name with every character written as `#hh`, and its terminator. */
export const LOOK_AHEAD = 3 * (LONGEST_NAME + 1) + 2;
/** Maximum relevant bytes before a mark. */
export const LOOK_BEHIND = 32;

const END_OF_STREAM = Buffer.from('endstream');
const OBJECT = Buffer.from('obj');
const TRAILER = Buffer.from('trailer');
const HASH = 0x23;

const codes = (signs: string) => new Set([...signs].map((sign) => sign.charCodeAt(0)));
export const WHITE = codes('\0\t\n\f\r ');
const LINE_ENDS = codes('\r\n');
const DIGITS = codes('0123456789');
/** White space and delimiters, which end a name. */
export const ENDS_NAME = new Set([...WHITE, ...codes('()<>[]{}/%')]);

/** A place where a reader searching for objects may start, or where stream data ends. */
export type Mark = 'obj' | 'trailer' | 'endstream';

/** Returns the mark at a position regardless of its context: tables of objects can lead readers anywhere. */
export function markAt(bytes: Uint8Array, at: number): Mark | undefined {
  switch (bytes[at]) {
    case 0x6f:
      return hasAt(bytes, at, OBJECT) && followsNumber(bytes, at) ? 'obj' : undefined;
    case 0x74:
      return hasAt(bytes, at, TRAILER) && precedesDictionary(bytes, at + TRAILER.length)
        ? 'trailer'
        : undefined;
    case 0x65:
      return hasAt(bytes, at, END_OF_STREAM) ? 'endstream' : undefined;
    default:
      return undefined;
  }
}

/** Whether a number may precede the position; a comment, which ends with its line, may be in between. */
function followsNumber(bytes: Uint8Array, at: number): boolean {
  for (let before = at - 1; before >= Math.max(0, at - LOOK_BEHIND); before -= 1) {
    const byte = bytes[before] ?? 0;
    if (DIGITS.has(byte) || LINE_ENDS.has(byte)) return true;
    if (!WHITE.has(byte)) return false;
  }
  return true;
}

function precedesDictionary(bytes: Uint8Array, from: number): boolean {
  for (let at = from; at < from + LOOK_AHEAD - TRAILER.length; at += 1) {
    const byte = bytes[at];
    if (byte === undefined || !WHITE.has(byte)) return byte === 0x3c || byte === 0x25;
  }
  return true;
}

export function hasAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** Returns the relevant name at this position with its escapes resolved; undefined if there is none. */
export function nameAt(bytes: Uint8Array, start: number): string | undefined {
  let name: string | undefined;
  let at = start;
  for (let length = 0; ; length += 1) {
    const byte = bytes[at];
    if (byte === undefined || ENDS_NAME.has(byte)) return length === name?.length ? name : undefined;
    const escaped = byte === HASH ? escapedAt(bytes, at) : undefined;
    const character = escaped ?? byte;
    name ??= NAMES.get(character);
    if (name === undefined || name.charCodeAt(length) !== character) return undefined;
    at += escaped === undefined ? 1 : 3;
  }
}

/** Returns the value of `#hh`; undefined if two hexadecimal digits do not follow. */
function escapedAt(bytes: Uint8Array, hash: number): number | undefined {
  const [high, low] = [digitOf(bytes[hash + 1]), digitOf(bytes[hash + 2])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function digitOf(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte & ~0x20;
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : undefined;
}
