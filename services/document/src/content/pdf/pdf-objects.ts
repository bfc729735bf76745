import type { Decryption } from './pdf-decryption.ts';
import { decryptionFor, type Resolver } from './pdf-encryption.ts';
import { decoded, type Filter, isFlate } from './pdf-filters.ts';
import { marksOf, type PdfMark, placesOf, searchOf } from './pdf-marks.ts';
import {
  bytesOf,
  isArray,
  isDictionary,
  isName,
  isReference,
  type PdfDictionary,
  type PdfText,
  type PdfValue,
  parseValue,
  skipWhite,
  Unreadable,
  word,
} from './pdf-syntax.ts';
import { checkOffset, checkTables, tableEntries } from './pdf-tables.ts';

/** All that a reader could find in a PDF: in any revision, with or without its tables of objects. */
export interface PdfObjects extends Resolver {
  /** Reads every object and trailer once. */
  all(): Generator<PdfObject>;
  /** Returns the bytes of a string, decrypted. */
  bytesOf(text: PdfText): Buffer;
}

export interface PdfObject {
  readonly value: PdfValue;
  readonly isStream: boolean;
  /** Such as `object 12`. */
  readonly part: string;
}

interface Stream {
  readonly mark: PdfMark;
  readonly dictionary: PdfDictionary;
  /** Positions after `stream` and of `endstream`. */
  readonly start: number;
  readonly end: number;
}

interface Source {
  readonly bytes: Buffer;
  readonly part: string;
  /** Where its objects begin, for an object stream. */
  readonly starts: readonly number[];
}

/** Maximum size of all object streams once inflated. */
const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
/** A million objects, at the hundred per stream that common writers produce. */
const MAX_OBJECT_STREAMS = 10_000;
const MAX_OBJECTS = 1_000_000;
const MAX_REFERENCES = 16;
/** How often each byte may be read: ordinary ones twice, and once more for what refers to them. */
const MAX_READS = 6;
const MIN_READ_BYTES = 1024 * 1024;
/** Separates source and position within one number, which takes less memory than an object. */
const SOURCE = 2 ** 32;

/**
 * Finds every object that any reader could find, since readers differ in where they look: after each `obj` and
 * `trailer` anywhere, in each dictionary between objects, and in object streams. Throws Unreadable.
 */
export function pdfObjects(file: Buffer): PdfObjects {
  const sources: Source[] = [{ bytes: file, part: 'file', starts: [] }];
  const places = new Map<number, number[]>();
  /** Numbers that object streams state for what they contain, by the number of the stream. */
  const contents = new Map<number | undefined, number[][]>();
  let objects = 0;
  let bytesLeft = MIN_READ_BYTES + MAX_READS * file.length;
  let inflatedBytesLeft = MAX_INFLATED_BYTES;
  const streamEndAfter = searchOf(file, 'endstream');
  const dictionaryAfter = searchOf(file, '<<');

  const marks = marksOf(file);
  for (const { number, at } of marks) if (number !== undefined) place(number, at);
  const { loose, packed, tables, trailers } = overview();
  const decryption = decryptionFor(trailers, { resolve, valuesOf });
  for (const stream of packed) unpack(stream, decryption);
  checkTables(file, read);
  for (const stream of tables) checkTable(stream);
  return { all, resolve, valuesOf, bytesOf: textBytes };

  function place(number: number, at: number): void {
    objects += 1;
    if (objects > MAX_OBJECTS) throw new Unreadable('too many objects');
    const others = places.get(number);
    if (others) others.push(at);
    else places.set(number, [at]);
  }

  function read<Result extends { readonly end: number }>(from: number, result: Result): Result {
    bytesLeft -= result.end - from;
    if (bytesLeft < 0) throw new Unreadable('objects within objects');
    return result;
  }

  function resolve(value: PdfValue, depth = 0): PdfValue[] {
    if (!isReference(value)) return [value];
    if (depth > MAX_REFERENCES) throw new Unreadable('references to references');
    return (places.get(value.number) ?? []).flatMap((place) => {
      const at = place % SOURCE;
      const source = sources[Math.floor(place / SOURCE)] as Source;
      const { value: found } = read(at, parseValue(source.bytes, at));
      return found === undefined ? [] : resolve(found, depth + 1);
    });
  }

  function valuesOf(dictionary: PdfDictionary, key: string): PdfValue[] {
    return (dictionary.entries.get(key) ?? []).flatMap((value) => resolve(value));
  }

  /** Reads the object at a mark, and where its stream is. */
  function objectAt(mark: PdfMark): { value: PdfValue | undefined; end: number; stream?: Stream } {
    const { value, end } = read(mark.at, parseValue(file, mark.at));
    if (mark.number === undefined && value !== undefined) throw new Unreadable('object without number');
    if (!isDictionary(value)) return { value, end };
    const at = read(end, { end: skipWhite(file, end) }).end;
    if (word(file, at) !== 'stream') return { value, end };
    const start = at + 'stream'.length;
    const streamEnd = streamEndAfter(start);
    if (streamEnd === file.length) throw new Unreadable('stream without end');
    return { value, end: streamEnd, stream: { mark, dictionary: value, start, end: streamEnd } };
  }

  /** Finds dictionaries that are not objects, streams of objects and of their tables, and the trailers among both. */
  function overview(): { loose: number[]; packed: Stream[]; tables: Stream[]; trailers: PdfDictionary[] } {
    const found = {
      loose: new Set<number>(),
      packed: [] as Stream[],
      tables: [] as Stream[],
      trailers: [] as PdfDictionary[],
    };
    const look = (at: number) => {
      const { value, end } = read(at, parseValue(file, at));
      if (isDictionary(value) && value.entries.has('Root')) found.trailers.push(value);
      found.loose.add(at);
      return end;
    };
    // Where no reader expects an object, damage means nothing.
    const lookAnyway = (at: number) => {
      try {
        return look(at);
      } catch (error) {
        if (!(error instanceof Unreadable) || error.at <= at) throw error;
        read(at, { end: error.at });
        return at + 2;
      }
    };
    let covered = 0;
    const lookBetween = (until: number) => {
      for (let at = dictionaryAfter(covered); at < until; at = dictionaryAfter(lookAnyway(at)));
    };
    for (const mark of marks) {
      lookBetween(mark.start);
      const { end, stream } = objectAt(mark);
      covered = Math.max(covered, end);
      if (stream?.dictionary.entries.has('Root')) found.trailers.push(stream.dictionary);
      if (stream && isObjectStream(stream.dictionary)) found.packed.push(stream);
      if (stream && valuesOf(stream.dictionary, 'W').some(isArray)) found.tables.push(stream);
    }
    lookBetween(file.length);
    for (const at of placesOf(file, 'trailer')) {
      const from = at + 'trailer'.length;
      const start = read(from, { end: skipWhite(file, from) }).end;
      if (file.toString('latin1', start, start + 2) === '<<' && !found.loose.has(start)) look(start);
    }
    return { ...found, loose: [...found.loose] };
  }

  function isObjectStream(dictionary: PdfDictionary): boolean {
    return (
      valuesOf(dictionary, 'Type').some((type) => isName(type, 'ObjStm')) ||
      (dictionary.entries.has('First') && dictionary.entries.has('N'))
    );
  }

  function unpack(stream: Stream, decryption: Decryption | undefined): void {
    if (sources.length > MAX_OBJECT_STREAMS) throw new Unreadable('too many object streams');
    const { dictionary, mark } = stream;
    const content = contentOf(stream, decryption);
    bytesLeft += MAX_READS * content.length;
    const first = numberOf(dictionary, 'First');
    const numbers = integersIn(content.subarray(0, first));
    if (numbers.length % 2 !== 0 || numbers.length < 2 * numberOf(dictionary, 'N'))
      throw new Unreadable('object stream');
    const starts = numbers.flatMap((offset, index) => (index % 2 === 1 ? [first + offset] : []));
    const source = sources.push({ bytes: content, part: `object stream ${mark.number}`, starts }) - 1;
    for (const [index, at] of starts.entries()) place(numbers[2 * index] ?? 0, source * SOURCE + at);
    const stated = numbers.filter((_, index) => index % 2 === 0);
    contents.set(mark.number, [...(contents.get(mark.number) ?? []), stated]);
  }

  /** Refuses a table that gives an object another number than the object has: some readers believe the table. */
  function checkTable(stream: Stream): void {
    const { dictionary } = stream;
    const widths = integersAt(dictionary, 'W');
    const sections = dictionary.entries.has('Index')
      ? integersAt(dictionary, 'Index')
      : [0, numberOf(dictionary, 'Size')];
    for (const { number, at } of tableEntries(contentOf(stream, undefined), widths, sections)) {
      if ('offset' in at) checkOffset(file, at.offset, read);
      else if (contents.get(at.stream)?.some((stated) => stated[at.index] !== number))
        throw new Unreadable('table of objects');
    }
  }

  function contentOf(stream: Stream, decryption: Decryption | undefined): Buffer {
    const content = decoded(packedBytes(stream, decryption), filtersOf(stream.dictionary), inflatedBytesLeft);
    inflatedBytesLeft -= content.length;
    return content;
  }

  function integersAt(dictionary: PdfDictionary, key: string): number[] {
    return listOf(dictionary, key).map((value) => {
      if (typeof value !== 'number') throw new Unreadable(key);
      return integer(String(value));
    });
  }

  function packedBytes({ dictionary, mark, start, end }: Stream, decryption: Decryption | undefined): Buffer {
    if (mark.number === undefined) throw new Unreadable('object stream without number');
    // Deflated bytes don't begin with white space, and state where they end.
    if (!decryption && isFlate(filtersOf(dictionary)[0])) return file.subarray(start, end);
    const lineEnd = /^\r?\n/.exec(file.toString('latin1', start, start + 2))?.[0];
    const dataAt = start + (lineEnd?.length ?? 0);
    const dataEnd = dataAt + numberOf(dictionary, 'Length');
    if (
      lineEnd === undefined ||
      dataEnd > end ||
      !/^[\0\t\n\f\r ]*$/.test(file.toString('latin1', dataEnd, end))
    )
      throw new Unreadable('length of an object stream');
    const bytes = file.subarray(dataAt, dataEnd);
    return decryption ? decryption.stream(bytes, mark.number, mark.generation) : bytes;
  }

  function filtersOf(dictionary: PdfDictionary): Filter[] {
    if (OTHER_DECODING.some((key) => dictionary.entries.has(key))) throw new Unreadable('decoding');
    const names = listOf(dictionary, 'Filter');
    const parameters = listOf(dictionary, 'DecodeParms');
    if (parameters.length > names.length) throw new Unreadable('decoding');
    return names.map((name, index) => {
      const values = parameters[index] ?? null;
      if (!isName(name)) throw new Unreadable('decoding');
      if (values !== null && !isDictionary(values)) throw new Unreadable('decoding');
      const keys = values ? PARAMETERS.filter((key) => values.entries.has(key)) : [];
      return {
        name: name.name,
        parameters: new Map(values ? keys.map((key) => [key, numberOf(values, key)]) : []),
      };
    });
  }

  /** Returns the items of a list, or the only one. */
  function listOf(dictionary: PdfDictionary, key: string): PdfValue[] {
    const value = only(dictionary, key);
    if (value === undefined || value === null) return [];
    if (!isArray(value)) return [value];
    return value.items.map((item) => theOne(resolve(item)) ?? null);
  }

  /** Returns the value of a key that every reader sees the same way. */
  function only(dictionary: PdfDictionary, key: string): PdfValue | undefined {
    return dictionary.entries.has(key) ? theOne(valuesOf(dictionary, key)) : undefined;
  }

  function numberOf(dictionary: PdfDictionary, key: string): number {
    const value = only(dictionary, key);
    if (typeof value !== 'number') throw new Unreadable(key);
    return integer(String(value));
  }

  function* all(): Generator<PdfObject> {
    for (const mark of marks) {
      const { value, stream } = objectAt(mark);
      if (value !== undefined)
        yield { value, isStream: stream !== undefined, part: `object ${mark.number ?? '?'}` };
    }
    for (const at of loose) {
      const { value } = read(at, parseValue(file, at));
      if (value !== undefined) yield { value, isStream: false, part: 'trailer' };
    }
    for (const source of sources.slice(1)) yield* packedIn(source);
  }

  /** Reads an object stream in sequence, as some readers do, and at each place that its header states. */
  function* packedIn({ bytes, part, starts }: Source): Generator<PdfObject> {
    const unread = new Set(starts);
    for (let at = skipWhite(bytes, Math.min(...starts, bytes.length)); at < bytes.length; ) {
      unread.delete(at);
      const { value, end } = read(at, parseValue(bytes, at));
      if (value !== undefined) yield { value, isStream: false, part };
      at = skipWhite(bytes, value === undefined ? end + Math.max(1, word(bytes, end).length) : end);
    }
    for (const at of unread) {
      const { value } = read(at, parseValue(bytes, at));
      if (value !== undefined) yield { value, isStream: false, part };
    }
  }

  function textBytes(text: PdfText): Buffer {
    const bytes = bytesOf(text);
    if (!decryption || text.source !== file) return bytes;
    const { number, generation } = marks.findLast(({ at }) => at <= text.start) ?? {};
    return number === undefined ? bytes : decryption.text(bytes, number, generation ?? 0);
  }
}

/** Entries that only some readers use to decode, or that lead to another file. */
const OTHER_DECODING = ['F', 'DP', 'FFilter', 'FDecodeParms'];
const PARAMETERS = ['Predictor', 'Colors', 'BitsPerComponent', 'Columns'];

function theOne(values: readonly PdfValue[]): PdfValue {
  const [value, ...others] = values;
  if (value === undefined || others.some((other) => other !== value)) throw new Unreadable('several values');
  return value;
}

function integersIn(bytes: Buffer): number[] {
  const numbers: number[] = [];
  for (let at = skipWhite(bytes, 0); at < bytes.length; ) {
    const text = word(bytes, at);
    numbers.push(integer(text));
    at = skipWhite(bytes, at + text.length);
  }
  return numbers;
}

function integer(text: string): number {
  if (!/^\d{1,10}$/.test(text)) throw new Unreadable('not an integer');
  return Number(text);
}
