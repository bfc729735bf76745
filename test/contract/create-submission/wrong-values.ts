import { type Body, fullEnquiry } from '../../harness/enquiries.ts';
import { BOOLEANS, ENUMS, INTEGERS, OBJECTS, STRINGS, TIMESTAMPS } from './fields.ts';

/** A field, and the JSON text that is put in its place. */
export type Row = readonly [path: string, raw: string];

interface Bounds {
  readonly path: string;
  readonly min: number;
  readonly max: number;
}

/** Text just outside of its bounds, text that nobody can store, and what is no text. */
export const outsideText = ({ path, min, max }: Bounds): Row[] =>
  [
    JSON.stringify('x'.repeat(min - 1)),
    JSON.stringify('😀'.repeat(max + 1)),
    '"aaaaaaaaa\\u0000b"',
    '"aaaaaaaaa\\ud800"',
    'null',
    '1',
  ].map((raw) => [path, raw]);

/** Text at both of its bounds. */
export const insideText = ({ path, min, max }: Bounds): Row[] =>
  ['x'.repeat(min), '😀'.repeat(max)].map((text) => [path, JSON.stringify(text)]);

/** Numbers just outside of their bounds, those that are no integers but would be rounded to one, and what is no number. */
export const outsideWhole = ({ path, min, max }: Bounds): Row[] =>
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

/** Numbers at both of their bounds, and the ways in which an integer can be written. */
export const insideWhole = ({ path, min, max }: Bounds): Row[] =>
  [`${min}`, `${max}`, `${min}.000`, `${max}0e-1`].map((raw) => [path, raw]);

/** What is near to one of the values, and none. */
export const outsideEnum = ({ path, values }: (typeof ENUMS)[number]): Row[] =>
  ['something-else', '', ...values.slice(0, 1).flatMap((value) => [value.toUpperCase(), `${value} `])]
    .map((text): Row => [path, JSON.stringify(text)])
    .concat([
      [path, 'null'],
      [path, '1'],
    ]);

/** Every one of the values. */
export const insideEnum = ({ path, values }: (typeof ENUMS)[number]): Row[] =>
  values.map((value) => [path, JSON.stringify(value)]);

/** The fields of `table` that an operation takes, by a body that has all of its fields. */
export function takenBy<Field extends string | { readonly path: string }>(
  body: Body,
  table: readonly Field[],
): Field[] {
  return table.filter((field) => {
    const path = typeof field === 'string' ? field : field.path;
    return (path.split('.')[0] ?? '') in body;
  });
}

/** One row for each kind of rule and field of the enquiry that an operation takes, made from its table. */
export function wrongValues(body: Body): Row[] {
  return [
    ...takenBy(body, STRINGS).flatMap(outsideText),
    ...takenBy(body, ENUMS).flatMap(outsideEnum),
    ...takenBy(body, INTEGERS).flatMap(outsideWhole),
    ...takenBy(body, BOOLEANS).map(({ path, mustBeTrue }): Row => [path, mustBeTrue ? 'false' : '"true"']),
    ...takenBy(body, TIMESTAMPS).map((path): Row => [path, '"2026-02-29T10:00:00Z"']),
    ...takenBy(body, OBJECTS).flatMap((path): Row[] => [
      [path, '[]'],
      [`${path}.nickname`, '"x"'],
    ]),
  ];
}

/** The same of values that are just right. */
export function rightValues(body: Body): Row[] {
  return [
    ...takenBy(body, STRINGS).flatMap(insideText),
    ...takenBy(body, ENUMS).flatMap(insideEnum),
    ...takenBy(body, INTEGERS).flatMap(insideWhole),
  ];
}

/** The fields of an enquiry that an operation does not take, with their values. */
export const strangersTo = (body: Body): Row[] =>
  Object.entries(fullEnquiry())
    .filter(([name]) => !(name in body))
    .map(([name, value]) => [name, JSON.stringify(value)]);
