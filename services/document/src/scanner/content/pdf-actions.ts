import { inflateSync } from 'node:zlib';

/** Names of what a PDF can make a reader do: run a script or a program. Renditions can carry scripts. */
const ACTIONS = new Set(['JavaScript', 'Launch', 'Rendition']);
const OBJECT_STREAM = 'ObjStm';
const ENCRYPTION = 'Encrypt';
const LONGEST_NAME = Math.max(...[...ACTIONS, OBJECT_STREAM, ENCRYPTION].map(({ length }) => length));
/** A name whose every character is written as `#hh`, its slash, and what ends it. */
const LOOK_AHEAD = 3 * (LONGEST_NAME + 1) + 2;

/** Tells `endstream` from `stream`. */
const LOOK_BEHIND = 'end'.length;

/** Of one object stream, which holds a few hundred small objects; and of all of them, inflated. */
const MAX_PACKED_BYTES = 4 * 1024 * 1024;
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;

const SLASH = 0x2f;
const HASH = 0x23;
/** White space and delimiters, which end a name. */
const ENDS_NAME = new Set([...'\0\t\n\f\r ()<>[]{}/%'].map((sign) => sign.charCodeAt(0)));

/** What stands at a place of a PDF and matters here. */
type Mark = { at: number; kind: 'name'; name: string } | { at: number; kind: 'stream' | 'endstream' };

export interface PdfActions {
  take(chunk: Uint8Array): void;
  /** Whether nothing was found, and every object stream could be looked into. Called once, at the end. */
  areNone(): boolean;
}

/**
 * Looks for names of actions in the bytes of a PDF, its object streams included, however the names are escaped. Object
 * streams that cannot be inflated count as found, except in an encrypted document. Does not see into other streams
 * (page contents, forms of XFA, embedded files), encrypted object streams, and object streams that do not say so by
 * their type. Holds at most 4 MiB of the file, and 64 MiB of what is inflated.
 */
export function pdfActions(): PdfActions {
  /** Bytes of the file from `base` on: three that were looked at, and those that may be the beginning of a mark. */
  let rest: Buffer = Buffer.alloc(0);
  let base = 0;
  let lookedUntil = 0;
  let found = false;
  let encrypted = false;
  let unreadable = false;
  let streamHoldsObjects = false;
  let inflated = 0;
  /** The object stream that is being read, and up to where in the file it was. */
  let packed: Buffer[] | undefined;
  let packedBytes = 0;
  let packedUntil = 0;

  function look(bytes: Buffer, until: number): void {
    for (const mark of marksIn(bytes, lookedUntil - base, until - base)) {
      if (mark.kind === 'name') onName(mark.name);
      else if (mark.kind === 'endstream' && packed) {
        keep(bytes, base + mark.at);
        openPacked();
      } else if (mark.kind === 'stream' && !packed && streamHoldsObjects) {
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
    if (ACTIONS.has(name)) found = true;
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
    // No white space begins what deflate makes.
    const start = bytes.findIndex((byte) => byte !== 0x20 && byte !== 0x0d && byte !== 0x0a);
    try {
      const maxOutputLength = Math.max(1, MAX_INFLATED_BYTES - inflated);
      const content = inflateSync(bytes.subarray(Math.max(0, start)), { maxOutputLength });
      inflated += content.length;
      for (const mark of marksIn(content, 0, content.length))
        if (mark.kind === 'name' && ACTIONS.has(mark.name)) found = true;
    } catch {
      unreadable = true;
    }
  }

  return {
    take(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      look(bytes, Math.max(lookedUntil, base + bytes.length - LOOK_AHEAD));
      const from = Math.max(base, lookedUntil - LOOK_BEHIND);
      rest = Buffer.from(bytes.subarray(from - base));
      base = from;
    },
    areNone() {
      look(rest, base + rest.length);
      if (packed || streamHoldsObjects) unreadable = true;
      return !found && (encrypted || !unreadable);
    },
  };
}

/** Every mark that begins from `from` on and before `until`, in order; what follows `until` only completes them. */
function* marksIn(bytes: Buffer, from: number, until: number): Generator<Mark> {
  let slash = bytes.indexOf(SLASH, from);
  let stream = bytes.indexOf('stream', from);
  for (;;) {
    const at = Math.min(slash < 0 ? until : slash, stream < 0 ? until : stream);
    if (at >= until) return;
    if (at === slash) {
      const name = nameAt(bytes, slash + 1);
      if (name !== undefined) yield { at, kind: 'name', name };
      slash = bytes.indexOf(SLASH, slash + 1);
    } else {
      yield { at, kind: endsWithEnd(bytes, stream) ? 'endstream' : 'stream' };
      stream = bytes.indexOf('stream', stream + 1);
    }
  }
}

function endsWithEnd(bytes: Buffer, stream: number): boolean {
  return bytes.toString('latin1', Math.max(0, stream - 3), stream) === 'end';
}

/** The name at this place with its escapes resolved; undefined for one that is longer than any that matters. */
function nameAt(bytes: Buffer, start: number): string | undefined {
  let name = '';
  for (let at = start; ; at += 1) {
    const byte = bytes[at];
    if (byte === undefined || ENDS_NAME.has(byte)) return name;
    if (name.length === LONGEST_NAME) return undefined;
    const hex = byte === HASH ? bytes.toString('latin1', at + 1, at + 3) : '';
    if (/^[0-9A-Fa-f]{2}$/.test(hex)) {
      name += String.fromCharCode(Number.parseInt(hex, 16));
      at += 2;
    } else name += String.fromCharCode(byte);
  }
}
