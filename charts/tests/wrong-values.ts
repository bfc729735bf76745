import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CHART } from './helm.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = readonly (string | number)[];

/** A value of the chart with something in it that is not meant for it. */
export interface WrongValue {
  /** Keys and indexes: `['image', 'pullSecrets', 0]`. */
  readonly path: Path;
  readonly kind: Kind;
  readonly wrong: Json;
}

const KINDS = {
  null: null,
  text: 'wrong text',
  'empty text': '',
  map: { unknown: 'x' },
  'empty map': {},
  list: ['x'],
  'list of null': [null],
  number: 3,
  'negative number': -7,
  fraction: 0.25,
  'large number': 1e15,
  boolean: true,
} as const satisfies Record<string, Json>;
const KINDS_OF_WRONG = Object.keys(KINDS) as (keyof typeof KINDS)[];
export type Kind = keyof typeof KINDS | 'unknown key';

const UNKNOWN = 'unknownKey';

const read = (file: string) => parse(readFileSync(join(CHART, file), 'utf8')) as Json;

/** What the chart is given where nothing is said, with the values for production over it. */
export const examples = (): Json => laidOver(read('values.yaml'), read('values-production.yaml'));

/** Every value of values.yaml and values-production.yaml, each with every kind of wrong in its place. */
export function wrongValues(): WrongValue[] {
  const values = examples();
  const paths = pathsIn(values);
  const maps = [[], ...paths].filter((path) => isMap(valueAt(values, path)));
  return [
    ...KINDS_OF_WRONG.flatMap((kind) =>
      paths
        // Of a switch, true is not wrong.
        .filter((path) => kind !== 'boolean' || typeof valueAt(values, path) !== 'boolean')
        .map((path) => ({ path, kind, wrong: KINDS[kind] })),
    ),
    ...maps.map((path) => ({ path: [...path, UNKNOWN], kind: 'unknown key' as const, wrong: 'x' })),
  ];
}

/** Values that say all of these. None may lie inside another. */
export function valuesSaying(wrongs: readonly WrongValue[]): Json {
  const before = examples();
  return wrongs.reduce<Json>((values, { path, wrong }) => withValue(values, before, path, wrong), {});
}

/** As refusals of the chart write it: `networkPolicies.to.s3`. */
export const nameOf = (path: Path): string => path.join('.');

/** As refusals by the schema write it: `/networkPolicies/to/s3`. */
export const pointerOf = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Groups whose members can be said at once: of one kind, none inside another, at most so many of one section. */
export function grouped(wrongs: readonly WrongValue[], mostOfSection: number): WrongValue[][] {
  const groups: WrongValue[][] = [];
  for (const wrong of wrongs) {
    const open = groups.find(
      (group) =>
        group[0]?.kind === wrong.kind &&
        group.filter(({ path }) => path[0] === wrong.path[0]).length < mostOfSection &&
        !group.some((other) => overlaps(other.path, wrong.path)),
    );
    if (open) open.push(wrong);
    else groups.push([wrong]);
  }
  return groups;
}

function overlaps(one: Path, other: Path): boolean {
  const shared = Math.min(one.length, other.length);
  return one.slice(0, shared).every((key, index) => key === other[index]);
}

function pathsIn(value: Json, above: Path = []): Path[] {
  const own = above.length > 0 ? [above] : [];
  if (Array.isArray(value))
    return [...own, ...value.flatMap((item, index) => pathsIn(item, [...above, index]))];
  if (!isMap(value)) return own;
  return [...own, ...Object.entries(value).flatMap(([key, inner]) => pathsIn(inner, [...above, key]))];
}

function valueAt(value: Json | undefined, path: Path): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => {
    if (typeof key === 'number') return Array.isArray(at) ? at[key] : undefined;
    return isMap(at) ? at[key] : undefined;
  }, value);
}

function withValue(values: Json | undefined, before: Json | undefined, path: Path, wrong: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return wrong;
  const old = valueAt(before, [key]);
  if (typeof key === 'number')
    return (Array.isArray(values) ? values : []).map((item, index) =>
      index === key ? withValue(item, old, rest, wrong) : item,
    );
  const map = isMap(values) ? values : {};
  // Helm replaces a list as a whole: what else is in it has to be said again.
  const inside = map[key] ?? (Array.isArray(old) && rest.length > 0 ? old : undefined);
  return { ...map, [key]: withValue(inside, old, rest, wrong) };
}

function laidOver(under: Json, over: Json): Json {
  if (!isMap(under) || !isMap(over)) return over;
  const both = Object.entries(over).map(([key, value]): [string, Json] => {
    const below = under[key];
    return [key, below === undefined ? value : laidOver(below, value)];
  });
  return { ...under, ...Object.fromEntries(both) };
}

const isMap = (value: Json | undefined): value is { [key: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
