import { type Body, withValue } from '../../harness/enquiries.ts';
import { BOOLEANS, ENUMS, INTEGERS, OBJECTS, STRINGS, TIMESTAMPS } from './fields.ts';

/** More violations than these could exceed the 50 that one response lists. */
const ROWS_OF_A_BODY = 45;

/** A field, and the JSON text that replaces its value. */
export type Row = readonly [path: string, raw: string];

interface Bounds {
  readonly path: string;
  readonly min: number;
  readonly max: number;
}

/** Returns text just outside its bounds, text that can't be stored, and non-text values. */
const outsideText = ({ path, min, max }: Bounds): Row[] =>
  [
    JSON.stringify('x'.repeat(min - 1)),
    JSON.stringify('😀'.repeat(max + 1)),
    '"aaaaaaaaa\\u0000b"',
    '"aaaaaaaaa\\ud800"',
    'null',
    '1',
  ].map((raw) => [path, raw]);

/** Returns text at both bounds. */
const insideText = ({ path, min, max }: Bounds): Row[] =>
  ['x'.repeat(min), '😀'.repeat(max)].map((text) => [path, JSON.stringify(text)]);

/** Returns numbers just outside their bounds, non-integers that would round to an integer, and non-numbers. */
const outsideWhole = ({ path, min, max }: Bounds): Row[] =>
  [
    String(min - 1),
    String(BigInt(max) + 1n),
    `${min}.5`,
    ...(min > 0 ? [`${min - 1}.99999999999999999999`] : ['1e-400']),
    `${max}.00000000000000000001`,
    '1e400',
    `"${min}"`,
    'null',
  ].map((raw) => [path, raw]);

/** Returns numbers at both bounds, and the different ways to write an integer. */
const insideWhole = ({ path, min, max }: Bounds): Row[] =>
  [`${min}`, `${max}`, `${min}.000`, `${max}0e-1`].map((raw) => [path, raw]);

/** Returns near misses of the values. */
const outsideEnum = ({ path, values }: (typeof ENUMS)[number]): Row[] =>
  ['something-else', '', ...values.slice(0, 1).flatMap((value) => [value.toUpperCase(), `${value} `])]
    .map((text): Row => [path, JSON.stringify(text)])
    .concat([
      [path, 'null'],
      [path, '1'],
    ]);

/** Returns every value. */
const insideEnum = ({ path, values }: (typeof ENUMS)[number]): Row[] =>
  values.map((value) => [path, JSON.stringify(value)]);

/** Returns one row for each kind of rule and field of the enquiry, built from its table. */
export function wrongValues(): Row[] {
  return [
    ...STRINGS.flatMap(outsideText),
    ...ENUMS.flatMap(outsideEnum),
    ...INTEGERS.flatMap(outsideWhole),
    ...BOOLEANS.map(({ path, mustBeTrue }): Row => [path, mustBeTrue ? 'false' : '"true"']),
    ...TIMESTAMPS.map((path): Row => [path, '"2026-02-29T10:00:00Z"']),
    ...OBJECTS.flatMap((path): Row[] => [
      [path, '[]'],
      [`${path}.nickname`, '"x"'],
    ]),
  ];
}

/** Returns the valid boundary values for the same fields. */
export function rightValues(): Row[] {
  return [...STRINGS.flatMap(insideText), ...ENUMS.flatMap(insideEnum), ...INTEGERS.flatMap(insideWhole)];
}

/** Distributes rows over as few bodies as possible: in each, every field has one value, and no field contains another. */
export function together(rows: readonly Row[]): Row[][] {
  const bodies: Row[][] = [];
  for (const row of rows) {
    const free = bodies.find(
      (body) => body.length < ROWS_OF_A_BODY && body.every(([path]) => !overlap(path, row[0])),
    );
    if (free) free.push(row);
    else bodies.push([row]);
  }
  return bodies;
}

const overlap = (one: string, other: string) =>
  `${one}.`.startsWith(`${other}.`) || `${other}.`.startsWith(`${one}.`);

/** Returns the JSON of `body` with all rows. */
export const withRows = (body: Body, rows: readonly Row[]): string =>
  rows.reduce(
    (text, [path, raw]) => text.replace(`"value of ${path}"`, () => raw),
    JSON.stringify(rows.reduce((all, [path]) => withValue(all, path, `value of ${path}`), body)),
  );

/** Returns the paths of rows, sorted as those of violations. */
export const pathsOfRows = (rows: readonly Row[]): string[] => rows.map(([path]) => path).sort();
