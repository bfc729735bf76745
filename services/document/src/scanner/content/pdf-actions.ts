import { inflateSync } from 'node:zlib';
import {
  ACTIONS,
  ENCRYPTION,
  LOOK_AHEAD,
  type Mark,
  marksIn,
  OBJECT_STREAM,
  TABLE_OF_OBJECTS,
} from './pdf-marks.ts';
import { isPlainObjectStream, LONGEST_HEAD, LONGEST_NUMBERS } from './pdf-object-head.ts';

/** Of one object stream, which holds a few hundred small objects; and of all of them, inflated. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
/** Of one, behind the first that does not inflate: none does in a document that is encrypted. */
const MAX_INFLATED_OF_ENCRYPTED = 16 * 1024;
/** Object streams that begin as deflated bytes do and are none; of encrypted ones, one in two thousand does. */
const MAX_FALSE_BEGINNINGS = 64;
/** Two million objects, where a stream holds a hundred as it does from usual writers. */
const MAX_OBJECT_STREAMS = 20_000;

/** An object up to the bytes of its stream, or what stands behind `trailer`: where encryption is declared. */
interface Head {
  readonly kind: 'obj' | 'trailer';
  readonly at: number;
  isTable: boolean;
  isEncrypted: boolean;
}

export interface PdfActions {
  take(chunk: Uint8Array): void;
  /** Whether nothing was found, and every object stream could be looked into. Called once, at the end. */
  areNone(): boolean;
}

/** As `inflateSync` of node:zlib. */
export type Inflate = (packed: Uint8Array, bounds: { readonly maxOutputLength: number }) => Uint8Array;

/**
 * Looks for names of actions in the bytes of a PDF, its object streams included, however the names are escaped. Refuses
 * what one reader could read otherwise than this: object streams whose dictionary is more than plain or asks for anything
 * but one inflation, that hold another, or that end early. Those that are no deflated bytes count as found, except in an
 * encrypted document, as a trailer or table of objects says it is; since a false one may say so, too, the others are
 * looked into all the same. Over 64 MiB of inflated bytes or 20,000 object streams count as found in any document; then
 * no byte more is looked at. Does not see into other streams (page contents, forms of XFA, embedded files), encrypted
 * object streams, and object streams that do not say so by their type. Holds at most 4 MiB of the file. Its work rises
 * with the bytes of the file and of what is inflated, and with nothing else.
 */
export function pdfActions(inflate: Inflate = inflateSync): PdfActions {
  /** Bytes of the file from `base` on: the head that is open, and those that may be the beginning of a mark. */
  let rest: Buffer = Buffer.alloc(0);
  let base = 0;
  let lookedUntil = 0;
  /** Something was found, or a bound passed: refused whatever follows. */
  let refused = false;
  let encrypted = false;
  let unreadable = false;
  let head: Head | undefined;
  /** Whether an object stream was named, whose bytes did not begin yet. */
  let streamHoldsObjects = false;
  let inflated = 0;
  let objectStreams = 0;
  let falseBeginnings = 0;
  /** The object stream that is being read, and up to where in the file it was. */
  let packed: Buffer[] | undefined;
  let packedBytes = 0;
  let packedUntil = 0;

  function look(bytes: Buffer, until: number): void {
    for (const mark of marksIn(bytes, lookedUntil - base, until - base)) {
      if (refused) return;
      if (!packed) onMark(bytes, mark);
      else if (mark.kind === 'endstream') {
        keep(bytes, base + mark.at);
        openPacked();
      } else if (mark.kind === 'name' && (ACTIONS.has(mark.name) || mark.name === OBJECT_STREAM))
        refused = true;
    }
    keep(bytes, until);
    lookedUntil = until;
  }

  function onMark(bytes: Buffer, mark: Mark): void {
    switch (mark.kind) {
      case 'name':
        if (ACTIONS.has(mark.name)) refused = true;
        else if (mark.name === OBJECT_STREAM) streamHoldsObjects = true;
        else if (mark.name === TABLE_OF_OBJECTS && head) head.isTable = true;
        else if (mark.name === ENCRYPTION && head) head.isEncrypted = true;
        return;
      case 'obj':
      case 'trailer':
      case 'startxref':
      case 'stream':
        onHeadEnd(bytes, mark);
        head =
          mark.kind === 'obj' || mark.kind === 'trailer'
            ? { kind: mark.kind, at: base + mark.at, isTable: false, isEncrypted: false }
            : undefined;
        return;
      case 'endstream':
        return;
    }
  }

  /** At a mark behind which another head begins, or none. */
  function onHeadEnd(bytes: Buffer, { at, kind }: Mark): void {
    if (head?.isEncrypted && (head.kind === 'trailer' || (head.isTable && kind === 'stream')))
      encrypted = true;
    if (!streamHoldsObjects) return;
    streamHoldsObjects = false;
    const from = head ? Math.max(0, head.at - LONGEST_NUMBERS - base) : at;
    if (kind !== 'stream' || at - from > LONGEST_HEAD || !isPlainObjectStream(bytes.subarray(from, at))) {
      refused = true;
      return;
    }
    packed = [];
    packedBytes = 0;
    packedUntil = base + at + 'stream'.length;
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
      for (const mark of marksIn(content, 0, content.length))
        if (mark.kind === 'name' && ACTIONS.has(mark.name)) refused = true;
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
      const isHeadOpen = head && lookedUntil - head.at <= LONGEST_HEAD;
      const kept = (isHeadOpen ? (head?.at ?? 0) : lookedUntil) - LONGEST_NUMBERS;
      const from = Math.max(base, kept);
      rest = Buffer.from(bytes.subarray(from - base));
      base = from;
    },
    areNone() {
      look(rest, base + rest.length);
      return !refused && !packed && !streamHoldsObjects && (encrypted || !unreadable);
    },
  };
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
