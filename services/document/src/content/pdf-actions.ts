import { inflateSync } from 'node:zlib';
import {
  ACTIONS,
  ENCRYPTION,
  LOOK_AHEAD,
  markAt,
  nameAt,
  OBJECT_STREAM,
  TABLE_OF_OBJECTS,
} from './pdf-marks.ts';
import { pdfReadings, type Reading } from './pdf-readings.ts';

/** Of one object stream, which holds a few hundred small objects; and of all of them, inflated. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
/** Of one, behind the first that does not inflate: none does in a document that is encrypted. */
const MAX_INFLATED_OF_ENCRYPTED = 16 * 1024;
/** Object streams that begin as deflated bytes do and are none; of encrypted ones, one in two thousand does. */
const MAX_FALSE_BEGINNINGS = 64;
const SLASH = 0x2f;
const OBJECT = 'obj';
const STREAM = 'stream';
/** Two million objects, where a stream holds a hundred as it does from usual writers. */
const MAX_OBJECT_STREAMS = 20_000;

export interface PdfActions {
  take(chunk: Uint8Array): void;
  /** Whether nothing was found, and every object stream could be looked into. Called once, at the end. */
  areNone(): boolean;
}

/** As `inflateSync` of node:zlib. */
export type Inflate = (packed: Uint8Array, bounds: { readonly maxOutputLength: number }) => Uint8Array;

/**
 * Looks for names of actions in the objects and trailers of a PDF, its object streams included, however the names are
 * escaped. The same words in strings, comments, and the bytes of other streams are text. Reads from wherever a table of
 * objects could lead a reader to, since one may begin inside of what is text to another. Refuses what one reader could
 * read otherwise than this: object streams whose dictionary is more than plain or asks for anything but one inflation,
 * that lie within another, or that end early. Those that are no deflated bytes count as found, except in an encrypted
 * document, as a trailer or table of objects says it is; since a false one may say so, too, the others are looked into
 * all the same. Over 64 MiB of inflated bytes or 20,000 object streams count as found in any document; then no byte more
 * is looked at. Does not see into other streams (page contents, forms of XFA, embedded files), encrypted object streams,
 * and object streams that do not say so by their type. Holds at most 4 MiB of the file. Its work rises with the bytes of
 * the file and of what is inflated, and with nothing else.
 */
export function pdfActions(inflate: Inflate = inflateSync): PdfActions {
  /** Bytes of the file from `base` on: as much as a plain object stream may have in front of its bytes. */
  let rest: Buffer = Buffer.alloc(0);
  let base = 0;
  let lookedUntil = 0;
  /** Something was found, or a bound passed: refused whatever follows. */
  let refused = false;
  let encrypted = false;
  let unreadable = false;
  let inflated = 0;
  let objectStreams = 0;
  let falseBeginnings = 0;
  /** The object stream that is being read, where its objects begin in it, and up to where in the file it was read. */
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
    // No white space begins what deflate makes.
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

/** Some hundred thousand objects. */
const MAX_PLACES_BYTES = 1024 * 1024;
/** The numbers of objects and where each begins, in front of the first. */
const PLACES = /^[\0\t\n\f\r \d]*$/;

/** Whether an object of an object stream, of which the first begins at `first`, has the name of an action. */
function hasActions(content: Uint8Array, first: number | undefined): boolean {
  const places = Buffer.from(content.subarray(0, Math.min(first ?? 0, MAX_PLACES_BYTES))).toString('latin1');
  // Readers could begin anywhere.
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

/** Whether these are the first two bytes of RFC 1950, without a dictionary; to inflate others costs much and fails. */
function beginsAsDeflated([first = 0, second = 0]: Uint8Array): boolean {
  return (
    (first & 0x0f) === 8 && first >> 4 <= 7 && (second & 0x20) === 0 && (first * 256 + second) % 31 === 0
  );
}

/** Whether the bytes are none that deflate makes, as encrypted ones are: not cut ones, nor those over the bound. */
function isOfOtherBytes(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'Z_DATA_ERROR';
}

/** Of the head of an object stream: seven entries, as a rule, of some twenty bytes. */
export const LONGEST_HEAD = 4_096;
/** What stands in front of `obj`: the end of a line, and two numbers. */
export const LONGEST_NUMBERS = 32;

/** The object begins a line, so that no comment can hold its beginning. */
const HEAD =
  /[\r\n][\t ]*\d{1,10}[\0\t\n\f\r ]+\d{1,5}[\0\t\n\f\r ]+obj[\0\t\n\f\r ]*<<([\s\S]*)>>[\0\t\n\f\r ]*$/;
const TOKENS = /\/?[^\0\t\n\f\r ()<>[\]{}/%]+|[^\0\t\n\f\r ]/g;
/** Names without escapes, numbers, references, lists: no comment, no text, no dictionary within. */
const PLAIN = /^(?:\/[^#]+|[+-]?\d+|R|true|false|null|\[|\])$/;
/** Entries that say how the bytes are to be decoded, with those that some readers take for them. */
const DECODING = /^\/(?:Filter|DecodeParms|DP|F|FFilter|FDecodeParms)$/;
const INFLATED_ONCE = /\/Filter (?:\/FlateDecode|\[ \/FlateDecode \])(?: |$)/;

const FIRST = /\/First (\d{1,9})(?: |$)/g;

/** An object stream whose dictionary every reader understands alike. */
export interface PlainObjectStream {
  /** Where the objects begin in the inflated bytes; undefined where the dictionary does not say so in plain words. */
  readonly first: number | undefined;
}

/**
 * Returns the object stream whose head these bytes end with, up to `stream`, when its dictionary is plain and says of
 * its bytes that they are deflated and nothing else. Undefined otherwise.
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
