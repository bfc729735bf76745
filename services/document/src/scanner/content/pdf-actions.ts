import { inflateSync } from 'node:zlib';

/** Names of what a PDF can make a reader do: run a script or a program. Renditions can carry scripts. */
const ACTIONS = new Set(['JavaScript', 'Launch', 'Rendition']);
const OBJECT_STREAM = 'ObjStm';
const ENCRYPTION = 'Encrypt';
/** Every name that matters, by its first character: no two share one. */
const NAMES = new Map([...ACTIONS, OBJECT_STREAM, ENCRYPTION].map((name) => [name.charCodeAt(0), name]));
const LONGEST_NAME = Math.max(...[...NAMES.values()].map(({ length }) => length));
/** A name whose every character is written as `#hh`, its slash, and what ends it. */
const LOOK_AHEAD = 3 * (LONGEST_NAME + 1) + 2;

/** Tells `endstream` from `stream`. */
const END = Buffer.from('end');
const STREAM = Buffer.from('stream');

/** Of one object stream, which holds a few hundred small objects; and of all of them, inflated. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
/** Two million objects, where a stream holds a hundred as it does from usual writers. */
const MAX_OBJECT_STREAMS = 20_000;

const SLASH = 0x2f;
const HASH = 0x23;
const [FIRST_OF_STREAM = 0] = STREAM;
/** White space and delimiters, which end a name. */
const ENDS_NAME = new Set([...'\0\t\n\f\r ()<>[]{}/%'].map((sign) => sign.charCodeAt(0)));

/** What stands at a place of a PDF and matters here. */
type Mark = { at: number; kind: 'name'; name: string } | { at: number; kind: 'stream' | 'endstream' };

export interface PdfActions {
  take(chunk: Uint8Array): void;
  /** Whether nothing was found, and every object stream could be looked into. Called once, at the end. */
  areNone(): boolean;
}

/** As `inflateSync` of node:zlib. */
export type Inflate = (packed: Uint8Array, bounds: { readonly maxOutputLength: number }) => Uint8Array;

/**
 * Looks for names of actions in the bytes of a PDF, its object streams included, however the names are escaped. Object
 * streams that cannot be inflated count as found, except in an encrypted document, and nothing is inflated behind the
 * first of them: it has settled what the others could say. Over 64 MiB of inflated bytes or 20,000 object streams count
 * as found in any document; then no byte more is looked at. Does not see into other streams (page contents, forms of
 * XFA, embedded files), encrypted object streams, and object streams that do not say so by their type. Holds at most
 * 4 MiB of the file. Its work rises with the bytes of the file and of what is inflated, and with nothing else.
 */
export function pdfActions(inflate: Inflate = inflateSync): PdfActions {
  /** Bytes of the file from `base` on: three that were looked at, and those that may be the beginning of a mark. */
  let rest: Buffer = Buffer.alloc(0);
  let base = 0;
  let lookedUntil = 0;
  /** Something was found, or a bound passed: refused whatever follows. */
  let refused = false;
  let encrypted = false;
  let unreadable = false;
  let streamHoldsObjects = false;
  let inflated = 0;
  let objectStreams = 0;
  /** The object stream that is being read, and up to where in the file it was. */
  let packed: Buffer[] | undefined;
  let packedBytes = 0;
  let packedUntil = 0;

  function look(bytes: Buffer, until: number): void {
    for (const mark of marksIn(bytes, lookedUntil - base, until - base)) {
      if (refused) return;
      if (mark.kind === 'name') onName(mark.name);
      else if (mark.kind === 'endstream' && packed) {
        keep(bytes, base + mark.at);
        openPacked();
      } else if (mark.kind === 'stream' && !packed && streamHoldsObjects && !unreadable) {
        packed = [];
        packedBytes = 0;
        packedUntil = base + mark.at + 'stream'.length;
        streamHoldsObjects = false;
      }
    }
    keep(bytes, until);
    lookedUntil = until;
  }

  function onName(name: string): void {
    if (ACTIONS.has(name)) refused = true;
    else if (name === ENCRYPTION) encrypted = true;
    else if (!packed && name === OBJECT_STREAM) streamHoldsObjects = true;
  }

  function keep(bytes: Buffer, until: number): void {
    if (!packed || until <= packedUntil) return;
    const part = bytes.subarray(packedUntil - base, until - base);
    packedUntil = until;
    packedBytes += part.length;
    if (packedBytes > MAX_PACKED_BYTES) {
      unreadable = true;
      packed = undefined;
    } else packed.push(Buffer.from(part));
  }

  function openPacked(): void {
    const bytes = Buffer.concat(packed ?? []);
    packed = undefined;
    objectStreams += 1;
    const allowedBytes = MAX_INFLATED_BYTES - inflated;
    if (objectStreams > MAX_OBJECT_STREAMS || allowedBytes === 0) {
      refused = true;
      return;
    }
    // No white space begins what deflate makes.
    const start = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x0d && byte !== 0x0a);
    try {
      const content = inflate(bytes.subarray(Math.max(0, start)), { maxOutputLength: allowedBytes });
      inflated += content.length;
      for (const mark of marksIn(content, 0, content.length))
        if (mark.kind === 'name' && ACTIONS.has(mark.name)) refused = true;
    } catch (error) {
      unreadable = true;
      if (isOverLimit(error)) refused = true;
    }
  }

  return {
    take(chunk) {
      if (refused) return;
      const bytes = Buffer.concat([rest, chunk]);
      look(bytes, Math.max(lookedUntil, base + bytes.length - LOOK_AHEAD));
      const from = Math.max(base, lookedUntil - END.length);
      rest = Buffer.from(bytes.subarray(from - base));
      base = from;
    },
    areNone() {
      look(rest, base + rest.length);
      if (packed || streamHoldsObjects) unreadable = true;
      return !refused && (encrypted || !unreadable);
    },
  };
}

/** Whether it was the bound that ended the inflating; encrypted or damaged bytes fail otherwise. */
function isOverLimit(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE';
}

/**
 * Every mark that begins from `from` on and before `until`, in order; what follows `until` only completes them. Looks
 * byte by byte: searches of the next slash, one call each, take seconds where a file is nothing but slashes.
 */
function* marksIn(bytes: Uint8Array, from: number, until: number): Generator<Mark> {
  for (let at = from; at < until; at += 1) {
    const byte = bytes[at];
    if (byte === SLASH) {
      const name = nameAt(bytes, at + 1);
      if (name !== undefined) yield { at, kind: 'name', name };
    } else if (byte === FIRST_OF_STREAM && hasAt(bytes, at, STREAM))
      yield { at, kind: hasAt(bytes, at - END.length, END) ? 'endstream' : 'stream' };
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
