import { endsWord, isDigit, isWhite, MAX_OBJECT_NUMBER, Unreadable } from './pdf-syntax.ts';

/** A place where a reader could find an object, whatever surrounds it: tables of objects can lead anywhere. */
export interface PdfMark {
  /** Where its number begins. */
  readonly start: number;
  /** Where its value begins. */
  readonly at: number;
  /** Undefined where readers could differ. */
  readonly number: number | undefined;
  readonly generation: number;
}

/** Ordinary files of 25 MiB have at most a few hundred thousand. */
const MAX_MARKS = 1_000_000;
const OBJECT = 'obj';
/** Before the last digits of a number: some readers take `9.0` or `9e0` for 9, and `1-9` for 19. */
const PARTS_OF_NUMBERS = Buffer.from('.+-eE');

/** Returns every `obj` that may follow a number. Throws Unreadable. */
export function marksOf(bytes: Buffer): PdfMark[] {
  const marks: PdfMark[] = [];
  for (const at of placesOf(bytes, OBJECT)) {
    if (!endsWord(bytes[at + OBJECT.length])) continue;
    const before = whiteBefore(bytes, at);
    if (!isDigit(bytes[before - 1]) && !followsComment(bytes, before, at)) continue;
    marks.push({ ...numbersBefore(bytes, before, at), at: at + OBJECT.length });
    if (marks.length > MAX_MARKS) throw new Unreadable('too many objects');
  }
  return marks;
}

/** Returns the positions of a word. */
export function* placesOf(bytes: Buffer, text: string): Generator<number> {
  for (let at = bytes.indexOf(text, 0, 'latin1'); at >= 0; ) {
    yield at;
    at = bytes.indexOf(text, at + text.length, 'latin1');
  }
}

/** Returns a search for the next position of a text, or the end. Repeated searches don't read the same bytes. */
export function searchOf(bytes: Buffer, text: string): (from: number) => number {
  let [searched, found] = [0, -1];
  return (from) => {
    if (from < searched || from > found) {
      const at = bytes.indexOf(text, from, 'latin1');
      [searched, found] = [from, at < 0 ? bytes.length : at];
    }
    return found;
  };
}

function numbersBefore(bytes: Buffer, end: number, at: number): Omit<PdfMark, 'at'> {
  const generationAt = digitsBefore(bytes, end);
  const numberEnd = whiteBefore(bytes, generationAt);
  const start = digitsBefore(bytes, numberEnd);
  const number = Number(bytes.toString('latin1', start, numberEnd));
  const isClear =
    start < numberEnd &&
    numberEnd < generationAt &&
    number <= MAX_OBJECT_NUMBER &&
    !PARTS_OF_NUMBERS.includes(bytes[start - 1] ?? 0) &&
    !followsComment(bytes, start, at);
  return {
    start,
    number: isClear ? number : undefined,
    generation: Number(bytes.toString('latin1', generationAt, end)),
  };
}

/** Whether a comment may end between two positions, so that what is before the first may belong to it. */
function followsComment(bytes: Buffer, from: number, to: number): boolean {
  if (!bytes.subarray(from, to).some(isLineEnd)) return false;
  let at = from;
  while (at > 0 && !isLineEnd(bytes[at - 1])) at -= 1;
  return bytes.subarray(at, from).includes(0x25);
}

const isLineEnd = (byte = 0): boolean => byte === 0x0a || byte === 0x0d;

function whiteBefore(bytes: Buffer, end: number): number {
  let at = end;
  while (at > 0 && isWhite(bytes[at - 1])) at -= 1;
  return at;
}

function digitsBefore(bytes: Buffer, end: number): number {
  let at = end;
  while (at > 0 && isDigit(bytes[at - 1])) at -= 1;
  return at;
}
