import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { type FieldSight, maxInList, type SightTable } from './seen-by-conditions.ts';

export type Type =
  | { readonly is: Plain }
  | { readonly is: 'list'; readonly of: Plain; readonly max: number }
  | { readonly is: 'message'; readonly of: DescMessage; readonly path: string; readonly sights: SightTable }
  | { readonly is: 'facts' }
  | { readonly is: 'enum'; readonly of: DescEnum };

/**
 * `label` is a supplier's text, which can only be compared; `wrong` is a part whose fault has already been reported.
 */
export type Plain =
  | 'bool'
  | 'int'
  | 'double'
  | 'text'
  | 'label'
  | 'timestamp'
  | 'duration'
  | 'type'
  | 'wrong';

/** Returns the type of a field that conditions can read. */
export function typeOfField(field: DescField, sight: FieldSight, path: string): Type {
  if (sight === 'label') return { is: 'label' };
  if (field.fieldKind === 'enum') return { is: 'int' };
  if (field.fieldKind === 'scalar') return { is: PLAIN_OF_SCALAR[field.scalar] ?? 'wrong' };
  if (field.fieldKind === 'list' && field.listKind === 'enum')
    return { is: 'list', of: 'int', max: maxInList(field.enum) };
  if (field.fieldKind !== 'message') return { is: 'wrong' };
  if (field.message.typeName === TimestampSchema.typeName) return { is: 'timestamp' };
  return { is: 'message', of: field.message, path, sights: typeof sight === 'object' ? sight : {} };
}

const PLAIN_OF_SCALAR: Partial<Record<ScalarType, Plain>> = {
  [ScalarType.BOOL]: 'bool',
  [ScalarType.INT32]: 'int',
  [ScalarType.INT64]: 'int',
  [ScalarType.DOUBLE]: 'double',
};

interface Overload {
  readonly takes: readonly Plain[];
  readonly gives: Plain;
  /** Its cost in addition to its operands. */
  readonly cost?: number;
}

const both = (types: readonly Plain[], gives?: Plain): Overload[] =>
  types.map((type) => ({ takes: [type, type], gives: gives ?? type }));
const of = (takes: readonly Plain[], gives: Plain): Overload => ({ takes, gives });

const MIXED_NUMBERS: readonly Overload[] = [of(['int', 'double'], 'bool'), of(['double', 'int'], 'bool')];
const EQUAL = [
  ...both(['bool', 'int', 'double', 'text', 'timestamp', 'duration', 'type'], 'bool'),
  ...MIXED_NUMBERS,
  of(['label', 'text'], 'bool'),
  of(['text', 'label'], 'bool'),
];
const ORDER = [...both(['int', 'double', 'timestamp', 'duration'], 'bool'), ...MIXED_NUMBERS];
/** A failing overload creates an error object, and a string with a time is parsed each time. */
const FAILURE_COST = 15;
const failing = (overloads: readonly Overload[]): Overload[] =>
  overloads.map((overload) => ({ ...overload, cost: FAILURE_COST }));
/** For calendar arithmetic. */
const CALENDAR_COST = 10;
const partOfTime = (...also: Plain[]): Overload[] =>
  (['timestamp', ...also] as const).map((type) => ({ takes: [type], gives: 'int', cost: CALENDAR_COST }));

/** All operations on plain values, by the parser's name. Methods begin with a dot. */
export const OVERLOADS: ReadonlyMap<string, readonly Overload[]> = new Map<string, readonly Overload[]>([
  ['!_', [of(['bool'], 'bool')]],
  ['_&&_', both(['bool'])],
  ['_||_', both(['bool'])],
  ['@not_strictly_false', [of(['bool'], 'bool')]],
  ['_==_', EQUAL],
  ['_!=_', EQUAL],
  ['_<_', ORDER],
  ['_<=_', ORDER],
  ['_>_', ORDER],
  ['_>=_', ORDER],
  ['-_', failing([of(['int'], 'int'), of(['double'], 'double')])],
  [
    '_+_',
    failing([
      ...both(['int', 'double', 'duration']),
      of(['timestamp', 'duration'], 'timestamp'),
      of(['duration', 'timestamp'], 'timestamp'),
    ]),
  ],
  [
    '_-_',
    failing([
      ...both(['int', 'double', 'duration']),
      of(['timestamp', 'timestamp'], 'duration'),
      of(['timestamp', 'duration'], 'timestamp'),
    ]),
  ],
  ['_*_', failing(both(['int', 'double']))],
  ['_/_', failing(both(['int', 'double']))],
  ['_%_', failing(both(['int']))],
  [
    'int',
    failing([of(['int'], 'int'), of(['double'], 'int'), of(['timestamp'], 'int'), of(['duration'], 'int')]),
  ],
  ['double', [of(['double'], 'double'), of(['int'], 'double')]],
  ['timestamp', failing([of(['text'], 'timestamp')])],
  ['duration', failing([of(['text'], 'duration')])],
  ['type', (['bool', 'int', 'double', 'timestamp', 'duration'] as const).map((type) => of([type], 'type'))],
  ...['getFullYear', 'getMonth', 'getDate', 'getDayOfMonth', 'getDayOfWeek', 'getDayOfYear'].map(
    (name) => [`.${name}`, partOfTime()] as const,
  ),
  ...['getHours', 'getMinutes', 'getSeconds', 'getMilliseconds'].map(
    (name) => [`.${name}`, partOfTime('duration')] as const,
  ),
]);

/** Type names that a condition may compare with. */
export const TYPE_NAMES: ReadonlySet<string> = new Set(['bool', 'int', 'double', 'string']);

/** Reports whether a value of one type can be looked up in a list of the other. */
export const canBeIn = (value: Plain, element: Plain): boolean =>
  value === element || (value === 'label' && element === 'text');

/** Returns the name of a type for use in sentences. */
export function nameOfType(type: Type): string {
  switch (type.is) {
    case 'label':
      return "the supplier's text";
    case 'message':
      return type.path;
    case 'enum':
      return type.of.name;
    default:
      return type.is;
  }
}
