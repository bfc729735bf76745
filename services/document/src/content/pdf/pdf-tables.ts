import { placesOf } from './pdf-marks.ts';
import { isDigit, skipWhite, Unreadable, word } from './pdf-syntax.ts';

/** Reports that bytes up to a position were read; throws Unreadable when there were too many. */
type Read = <Result extends { readonly end: number }>(from: number, result: Result) => Result;

/** An object that a table of objects states. */
export interface TableEntry {
  readonly number: number;
  /** Of the object in the file, or of the object stream that contains it. */
  readonly at: { readonly offset: number } | { readonly stream: number; readonly index: number };
}

const TABLE = 'xref';
const DIGITS = /^\d+$/;
const MAX_WIDTH = 8;

/** Throws Unreadable where a table of objects written as text states a place within a number. */
export function checkTables(file: Buffer, read: Read): void {
  for (const at of placesOf(file, TABLE)) {
    for (const offset of offsetsIn(file, at, read)) checkOffset(file, offset, read);
  }
}

/** Returns the offsets of one table, and throws Unreadable where readers could differ in what they are. */
function* offsetsIn(file: Buffer, start: number, read: Read): Generator<number> {
  const skip = (from: number) => read(from, { end: skipWhite(file, from) }).end;
  let fields: string[] = [];
  let isTable = false;
  for (let at = skip(start + TABLE.length); ; ) {
    const text = word(file, at);
    if (DIGITS.test(text)) {
      fields.push(text);
      // A count follows a number without a comment, which `startxref` has.
      isTable ||= fields.length === 2 && !file.subarray(start, at).includes(0x25);
    } else if (text === 'n' || text === 'f') {
      isTable = true;
      // The first entry follows the first number and the count of its section.
      if (fields.length !== 2 && fields.length !== 4) throw new Unreadable('table of objects');
      if (text === 'n') yield Number(fields.at(-2));
      fields = [];
    } else {
      if (isTable && text !== 'trailer') throw new Unreadable('table of objects');
      return;
    }
    if (fields.length > 4) {
      if (isTable) throw new Unreadable('table of objects');
      return;
    }
    at = skip(read(at, { end: at + text.length }).end);
  }
}

/**
 * Throws Unreadable where an offset is within the number of an object: readers take the rest of the digits for the
 * number, so `19 0 obj` becomes object 9.
 */
export function checkOffset(file: Buffer, offset: number, read: Read): void {
  // Some readers count from the header.
  for (const at of new Set([offset, offset + file.indexOf('%PDF-')])) {
    if (at === 0 || !isDigit(file[at - 1]) || !isDigit(file[at])) continue;
    const generationAt = afterNumber(at);
    if (!isDigit(file[generationAt])) continue;
    const keywordAt = afterNumber(generationAt);
    if (file.toString('latin1', keywordAt, keywordAt + 3) === 'obj')
      throw new Unreadable('place within a number');
  }

  function afterNumber(from: number): number {
    let end = from;
    while (isDigit(file[end])) end += 1;
    return read(from, { end: skipWhite(file, end) }).end;
  }
}

/** Returns the entries of a table of objects in a stream (ISO 32000-2, 7.5.8). Throws Unreadable. */
export function* tableEntries(
  content: Buffer,
  widths: readonly number[],
  sections: readonly number[],
): Generator<TableEntry> {
  const [typeWidth = 0, secondWidth = 0, thirdWidth = 0] = widths;
  const width = widths.reduce((sum, item) => sum + item, 0);
  if (widths.length < 3 || width === 0 || widths.some((item) => item > MAX_WIDTH)) throw new Unreadable('W');
  let at = 0;
  const field = (bytes: number) => {
    let value = 0;
    for (const end = at + bytes; at < end; at += 1) value = value * 256 + (content[at] ?? 0);
    return value;
  };
  for (let section = 0; section < sections.length; section += 2) {
    const [first = 0, count = 0] = sections.slice(section, section + 2);
    for (let index = 0; index < count && at + width <= content.length; index += 1) {
      const next = at + width;
      const type = typeWidth === 0 ? 1 : field(typeWidth);
      const second = field(secondWidth);
      const third = field(thirdWidth);
      at = next;
      if (type === 1) yield { number: first + index, at: { offset: second } };
      else if (type === 2) yield { number: first + index, at: { stream: second, index: third } };
    }
  }
}
