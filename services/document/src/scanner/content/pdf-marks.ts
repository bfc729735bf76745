/** Names of what a PDF can make a reader do: run a script or a program. Renditions can carry scripts. */
export const ACTIONS: ReadonlySet<string> = new Set(['JavaScript', 'Launch', 'Rendition']);
export const OBJECT_STREAM = 'ObjStm';
export const TABLE_OF_OBJECTS = 'XRef';
export const ENCRYPTION = 'Encrypt';
/** Every name that matters, by its first character: no two share one. */
const NAMES = new Map(
  [...ACTIONS, OBJECT_STREAM, TABLE_OF_OBJECTS, ENCRYPTION].map((name) => [name.charCodeAt(0), name]),
);
const LONGEST_NAME = Math.max(...[...NAMES.values()].map(({ length }) => length));
/** A name whose every character is written as `#hh`, its slash, and what ends it. */
export const LOOK_AHEAD = 3 * (LONGEST_NAME + 1) + 2;

/** Tells `endstream` from `stream`. */
const END = Buffer.from('end');
const STREAM = Buffer.from('stream');
const START = Buffer.from('startxref');
const OBJECT = Buffer.from('obj');
const TRAILER = Buffer.from('trailer');
const SLASH = 0x2f;
const HASH = 0x23;
const FIRST_OF_STREAM = 0x73;
const FIRST_OF_OBJECT = 0x6f;
const FIRST_OF_TRAILER = 0x74;

const WHITE = new Set([...'\0\t\n\f\r '].map((sign) => sign.charCodeAt(0)));
/** White space and delimiters, which end a name. */
const ENDS_NAME = new Set([...WHITE, ...Buffer.from('()<>[]{}/%')]);

/** What stands at a place of a PDF and matters here. */
export type Mark =
  | { at: number; kind: 'name'; name: string }
  | { at: number; kind: 'stream' | 'endstream' | 'obj' | 'trailer' | 'startxref' };

/**
 * Every mark that begins from `from` on and before `until`, in order; what follows `until` only completes them. Looks
 * byte by byte: searches of the next slash, one call each, take seconds where a file is nothing but slashes.
 */
export function* marksIn(bytes: Uint8Array, from: number, until: number): Generator<Mark> {
  for (let at = from; at < until; at += 1) {
    switch (bytes[at]) {
      case SLASH: {
        const name = nameAt(bytes, at + 1);
        if (name !== undefined) yield { at, kind: 'name', name };
        break;
      }
      case FIRST_OF_STREAM:
        if (hasAt(bytes, at, STREAM))
          yield { at, kind: hasAt(bytes, at - END.length, END) ? 'endstream' : 'stream' };
        else if (hasAt(bytes, at, START)) yield { at, kind: 'startxref' };
        break;
      case FIRST_OF_OBJECT:
        if (hasAt(bytes, at, OBJECT) && WHITE.has(bytes[at - 1] ?? 0)) yield { at, kind: 'obj' };
        break;
      case FIRST_OF_TRAILER:
        if (hasAt(bytes, at, TRAILER)) yield { at, kind: 'trailer' };
        break;
    }
  }
}

function hasAt(bytes: Uint8Array, at: number, text: Uint8Array): boolean {
  for (let index = 0; index < text.length; index += 1) if (bytes[at + index] !== text[index]) return false;
  return true;
}

/** The name at this place with its escapes resolved, where it is one that matters. */
function nameAt(bytes: Uint8Array, start: number): string | undefined {
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

/** What `#hh` stands for; undefined where no two hexadecimal digits follow. */
function escapedAt(bytes: Uint8Array, hash: number): number | undefined {
  const [high, low] = [digitOf(bytes[hash + 1]), digitOf(bytes[hash + 2])];
  return high === undefined || low === undefined ? undefined : high * 16 + low;
}

function digitOf(byte = 0): number | undefined {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte & ~0x20;
  return letter >= 0x41 && letter <= 0x46 ? letter - 0x37 : undefined;
}
