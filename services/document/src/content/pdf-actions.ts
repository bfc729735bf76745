import { inflateSync } from 'node:zlib';
import {
  ACTIONS,
  ENCRYPTION,
  LOOK_AHEAD,
  markAt,
  nameAt,
  OBJECT_STREAM,
  TABLE_OF_OBJECTS,
} from './pdf-names.ts';
import { pdfReadings, type Reading } from './pdf-readings.ts';

/** Maximum size of one object stream, which contains a few hundred small objects, and of all streams once inflated. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
/** Maximum for each stream after the first that does not inflate: in an encrypted document, none does. */
const MAX_INFLATED_OF_ENCRYPTED = 16 * 1024;
/**
 * Maximum number of object streams that begin like deflated bytes but are not; of encrypted ones, one in two thousand
 * does.
 */
const MAX_FALSE_BEGINNINGS = 64;
const SLASH = 0x2f;
const OBJECT = 'obj';
const STREAM = 'stream';
/** Two million objects, at the hundred per stream that common writers produce. */
const MAX_OBJECT_STREAMS = 20_000;

export interface PdfActions {
  take(chunk: Uint8Array): void;
  /** Whether no action was found and every object stream could be inspected. Called once, at the end. */
  areNone(): boolean;
}

/** Same signature as `inflateSync` of node:zlib. */
export type Inflate = (packed: Uint8Array, bounds: { readonly maxOutputLength: number }) => Uint8Array;

/**
 * Searches the objects, trailers and object streams of a PDF for the names of actions, with any escaping. The same
 * words in strings, comments and other streams are treated as text. Starts wherever a table of objects could lead a
 * reader, since one reader may start inside another's text. Rejects anything that a reader could interpret differently:
 * object streams whose dictionary is not plain or requires more than one inflation, and those that are nested or end
 * early. Object streams that are not deflated count as findings, except in a document that a trailer or table of
 * objects declares to be encrypted. That declaration may be false, so the remaining streams are still inspected. More
 * than 64 MiB of inflated bytes or 20,000 object streams count as a finding in any document, and end the inspection.
 * Does not see into other streams (page contents, XFA forms, embedded files), encrypted object streams, or object
 * streams without their type. Holds at most 4 MiB of the file. The cost is linear in the bytes of the file and the
 * inflated bytes.
 */
export function pdfActions(inflate: Inflate = inflateSync): PdfActions {
  /** Bytes of the file from `base`: as many as may precede the data of a plain object stream. */
  let rest: Buffer = Buffer.alloc(0);
  let base = 0;
  let lookedUntil = 0;
  /** A finding or an exceeded bound, after which the PDF is refused regardless of the rest. */
  let refused = false;
  let encrypted = false;
  let unreadable = false;
  let inflated = 0;
  let objectStreams = 0;
  let falseBeginnings = 0;
  /** The current object stream, the offset of its objects, and how far in the file it was read. */
  let packed: Buffer[] | undefined;
  let packedFirst: number | undefined;
  let packedBytes = 0;
  let packedUntil = 0;
  let window: Buffer = rest;

  const refuseAll = () => {
    refused = true;
  };
  const readings = pdfReadings({
    name({ kind }, name) {
      if (ACTIONS.has(name)) refused = true;
      if (name === ENCRYPTION && kind === 'trailer') encrypted = true;
    },
    end: onEnd,
    tooMany: refuseAll,
  });

  readings.begin('between', 0);

  function look(bytes: Buffer, until: number): void {
    window = bytes;
    for (let at = lookedUntil; at < until && !refused; at += 1) {
      const index = at - base;
      const mark = markAt(bytes, index);
      if (mark === 'endstream') {
        if (packed && at >= packedUntil) {
          keep(bytes, at);
          openPacked();
        }
        if (readings.left().length === 0) readings.begin('between', at + mark.length);
      } else if (mark !== undefined) readings.begin(mark, at + mark.length);
      readings.step(bytes, index, at);
    }
    keep(bytes, until);
    lookedUntil = until;
  }

  function onEnd({ names, at }: Reading, how: 'stream' | 'over', end: number): void {
    if (names.has(ENCRYPTION) && names.has(TABLE_OF_OBJECTS) && how === 'stream') encrypted = true;
    if (how === 'over') readings.begin('between', end);
    if (!names.has(OBJECT_STREAM)) return;
    const from = Math.max(0, at - OBJECT.length - LONGEST_NUMBERS - base);
    const until = end - STREAM.length - base;
    const stream =
      how === 'stream' && until - from <= LONGEST_HEAD
        ? plainObjectStream(window.subarray(from, until))
        : undefined;
    if (!stream || packed) {
      refused = true;
      return;
    }
    packed = [];
    packedFirst = stream.first;
    packedBytes = 0;
    packedUntil = end;
  }

  function keep(bytes: Buffer, until: number): void {
    if (!packed || until <= packedUntil) return;
    const part = bytes.subarray(packedUntil - base, until - base);
    packedUntil = until;
    packedBytes += part.length;
    if (packedBytes > MAX_PACKED_BYTES) refused = true;
    else packed.push(Buffer.from(part));
  }

  function openPacked(): void {
    const bytes = Buffer.concat(packed ?? []);
    packed = undefined;
    objectStreams += 1;
    const left = MAX_INFLATED_BYTES - inflated;
    const allowedBytes = unreadable ? Math.min(left, MAX_INFLATED_OF_ENCRYPTED) : left;
    if (objectStreams > MAX_OBJECT_STREAMS || allowedBytes === 0) {
      refused = true;
      return;
    }
    // Deflated data never begins with white space.
    const start = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x0d && byte !== 0x0a);
    const deflated = bytes.subarray(Math.max(0, start));
    if (!beginsAsDeflated(deflated)) {
      unreadable = true;
      return;
    }
    try {
      const content = inflate(deflated, { maxOutputLength: allowedBytes });
      inflated += content.length;
      if (hasActions(content, packedFirst)) refused = true;
    } catch (error) {
      unreadable = true;
      falseBeginnings += 1;
      if (!isOfOtherBytes(error) || falseBeginnings > MAX_FALSE_BEGINNINGS) refused = true;
    }
  }

  return {
    take(chunk) {
      if (refused) return;
      const bytes = Buffer.concat([rest, chunk]);
      look(bytes, Math.max(lookedUntil, base + bytes.length - LOOK_AHEAD));
      const from = Math.max(base, lookedUntil - LONGEST_HEAD - LONGEST_NUMBERS);
      rest = Buffer.from(bytes.subarray(from - base));
      base = from;
    },
    areNone() {
      look(rest, base + rest.length);
      const isOpen = packed !== undefined || readings.left().some(({ names }) => names.has(OBJECT_STREAM));
      return !refused && !isOpen && (encrypted || !unreadable);
    },
  };
}

/** Enough for several hundred thousand objects. */
const MAX_PLACES_BYTES = 1024 * 1024;
/** The object numbers and offsets that precede the first object. */
const PLACES = /^[\0\t\n\f\r \d]*$/;

/** Whether an object in an object stream, whose first object begins at `first`, contains the name of an action. */
function hasActions(content: Uint8Array, first: number | undefined): boolean {
  const places = Buffer.from(content.subarray(0, Math.min(first ?? 0, MAX_PLACES_BYTES))).toString('latin1');
  // A reader could start anywhere.
  if (first === undefined || first > Math.min(content.length, MAX_PLACES_BYTES) || !PLACES.test(places))
    return content.some((byte, at) => byte === SLASH && ACTIONS.has(nameAt(content, at + 1) ?? ''));
  const numbers = places.match(/\d+/g) ?? [];
  const starts = new Set([0, first]);
  for (let index = 1; index < numbers.length; index += 2) starts.add(first + Number(numbers[index]));
  let found = false;
  const readings = pdfReadings({
    name: (_reading, name) => {
      if (ACTIONS.has(name)) found = true;
    },
    end: () => {},
    tooMany: () => {
      found = true;
    },
  });
  for (let at = 0; at < content.length && !found; at += 1) {
    if (starts.has(at)) readings.begin('packed', at);
    readings.step(content, at, at);
  }
  return found;
}

/**
 * Whether these are the first two bytes of RFC 1950 without a dictionary; trying to inflate others is costly and fails.
 */
function beginsAsDeflated([first = 0, second = 0]: Uint8Array): boolean {
  return (
    (first & 0x0f) === 8 && first >> 4 <= 7 && (second & 0x20) === 0 && (first * 256 + second) % 31 === 0
  );
}

/**
 * Whether the error means that the bytes are not deflated, as when encrypted, rather than truncated or over the bound.
 */
function isOfOtherBytes(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'Z_DATA_ERROR';
}

/** Maximum head of an object stream, which usually has seven entries of about twenty bytes. */
export const LONGEST_HEAD = 4_096;
/** Maximum length of the bytes before `obj`: a line end and two numbers. */
export const LONGEST_NUMBERS = 32;

/** The object must begin a line, so that its start cannot be inside a comment. */
const HEAD =
  /[\r\n][\t ]*\d{1,10}[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj[\0\t\n\f\r ]*<<([\s\S]*)>>[\0\t\n\f\r ]*$/;
const TOKENS = /\/?[^\0\t\n\f\r ()<>[\]{}/%]+|[^\0\t\n\f\r ]/g;
/** Names without escapes, numbers, references and lists: no comment, text or nested dictionary. */
const PLAIN = /^(?:\/[^#]+|[+-]?\d+|R|true|false|null|\[|\])$/;
/** Entries that specify the decoding, including alternatives that some readers accept. */
const DECODING = /^\/(?:Filter|DecodeParms|DP|F|FFilter|FDecodeParms)$/;
const INFLATED_ONCE = /\/Filter (?:\/FlateDecode|\[ \/FlateDecode \])(?: |$)/;

const FIRST = /\/First (\d{1,9})(?: |$)/g;

/** An object stream whose dictionary every reader interprets the same way. */
export interface PlainObjectStream {
  /** Offset of the objects in the inflated bytes; undefined when the dictionary does not state it plainly. */
  readonly first: number | undefined;
}

/**
 * Returns the object stream whose head, up to `stream`, ends these bytes, if its dictionary is plain and specifies
 * deflate as the only encoding. Undefined otherwise.
 */
export function plainObjectStream(head: Buffer): PlainObjectStream | undefined {
  const [, dictionary] = HEAD.exec(head.toString('latin1')) ?? [];
  const tokens: readonly string[] = dictionary?.match(TOKENS) ?? [];
  const isPlain =
    tokens.every((token) => PLAIN.test(token)) &&
    tokens.filter((token) => DECODING.test(token)).length === 1 &&
    INFLATED_ONCE.test(tokens.join(' '));
  const [first, ...others] = tokens.join(' ').matchAll(FIRST);
  if (!isPlain) return undefined;
  return { first: first && others.length === 0 ? Number(first[1]) : undefined };
}
