import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ALL_OVER } from './examples.ts';
import { CHART } from './helm.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Path = readonly (string | number)[];

/** The chart's values with one invalid value. */
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
  'list of null': [null],
  'large number': 1e15,
  boolean: true,
} as const satisfies Record<string, Json>;
const KINDS_OF_WRONG = Object.keys(KINDS) as (keyof typeof KINDS)[];
export type Kind = keyof typeof KINDS | 'unknown key';

const UNKNOWN = 'unknownKey';

const read = (file: string) => parse(readFileSync(join(CHART, file), 'utf8')) as Json;

/**
 * Returns the chart's defaults with the production values and everything that is off by default on top, so that every
 * wrong value is used.
 */
export function examples(): Json {
  const on = (ALL_OVER.set ?? []).map((assignment): Json => {
    const [name = '', json = ''] = assignment.split(/=(.*)/s);
    return name.split('.').reduceRight<Json>((value, key) => ({ [key]: value }), JSON.parse(json) as Json);
  });
  return [read('values-production.yaml'), ...on].reduce<Json>(laidOver, read('values.yaml'));
}

/** Values passed on unchanged: Kubernetes or the token verifier validates their content. */
export const PASSED_ON: readonly string[] = [
  'extraObjects',
  'global',
  'items',
  'valueFrom',
  ...['nodeAffinity', 'podAffinity', 'podAntiAffinity'],
  ...['startupProbe', 'livenessProbe', 'readinessProbe', 'lifecycle'],
  ...[
    'configMap',
    'csi',
    'downwardAPI',
    'emptyDir',
    'ephemeral',
    'persistentVolumeClaim',
    'projected',
    'secret',
  ],
];

/** Returns every value replaced with every kind of wrong value, and an unknown key in every map. */
export function wrongValues(values: Json): WrongValue[] {
  const paths = pathsIn(values);
  const maps = [[], ...paths].filter(
    (path) => isMap(valueAt(values, path)) && !PASSED_ON.includes(String(path.at(-1))),
  );
  return [
    ...KINDS_OF_WRONG.flatMap((kind) =>
      paths
        // True is a valid value for a switch.
        .filter((path) => kind !== 'boolean' || typeof valueAt(values, path) !== 'boolean')
        .map((path) => ({ path, kind, wrong: KINDS[kind] })),
    ),
    ...maps.map((path) => ({ path: [...path, UNKNOWN], kind: 'unknown key' as const, wrong: 'x' })),
  ];
}

/** Returns `values` with all wrong values applied. None may be inside another. */
export function withWrong(values: Json, wrongs: readonly WrongValue[]): Json {
  return wrongs.reduce((whole, { path, wrong }) => withValue(whole, path, wrong), values);
}

/** Returns the path as the chart's errors write it: `networkPolicies.to.s3`. */
export const nameOf = (path: Path): string => path.join('.');

/** Returns the path as schema errors write it: `/networkPolicies/to/s3`. */
export const pointerOf = (path: Path): string =>
  path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

/** Groups values that can be tested together: of one kind, none inside another, and a limited number per section. */
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
  if (PASSED_ON.includes(String(above.at(-1)))) return own;
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

function withValue(value: Json, [key, ...rest]: Path, wrong: Json): Json {
  if (key === undefined) return wrong;
  const inside = valueAt(value, [key]) ?? {};
  if (Array.isArray(value))
    return value.map((item, index) => (index === key ? withValue(inside, rest, wrong) : item));
  return { ...(isMap(value) ? value : {}), [key]: withValue(inside, rest, wrong) };
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
