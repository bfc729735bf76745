import type { JsonSchema } from '../openapi/document-types.ts';

/** JSON texts at the boundaries of one field's rule. */
export interface BoundaryValues {
  /** The rule in words, to follow the field's name. */
  readonly promise: string;
  /** Valid values just inside each bound. */
  readonly inside: readonly string[];
  /** Invalid values just outside each bound, and of every other type. */
  readonly outside: readonly string[];
}

const json = (value: unknown): string => JSON.stringify(value);
const EMOJI = '\u{1f600}';
const LONE_SURROGATES = ['"head \\ud800"', '"\\udfff tail"', '"\\ude00\\ud83d"'];
const NO_TEXT = ['null', '42', 'true', '["xx"]', '{"a":"xx"}'];

/** Returns values on both sides of each bound of a field's rule. Throws for an unknown rule. */
export function boundaryValues(rule: JsonSchema): BoundaryValues {
  if (rule.enum) return ofEnum(rule.enum.map(String));
  if (rule.const === true) return ofTrue();
  if (rule.const !== undefined) return ofEnum([String(rule.const)]);
  if (rule.format) return ofFormat(rule.format);
  switch (rule.type) {
    case 'string':
      return ofText(rule.minLength ?? 0, rule.maxLength ?? Number.NaN);
    case 'integer':
      return ofWhole(rule.minimum ?? (rule.exclusiveMinimum ?? Number.NaN) + 1, rule.maximum ?? Number.NaN);
    case 'boolean':
      return { ...ofTrue(), promise: 'takes true or false', inside: ['true', 'false'], outside: NO_BOOLEAN };
    case 'object':
      return { promise: 'takes an object', inside: [], outside: ['null', '"x"', '1', '[]', 'true'] };
    case 'array':
      return ofList(rule.minItems ?? 0, rule.items ?? {});
    default:
      throw new Error(`no values are known for ${json(rule)}`);
  }
}

function ofText(min: number, max: number): BoundaryValues {
  const lengths = [min, max];
  return {
    promise: `takes text of ${min} to ${max} code points`,
    inside: lengths.flatMap((length) => [json('x'.repeat(length)), json(EMOJI.repeat(length))]),
    outside: [
      json('x'.repeat(min - 1)),
      json('x'.repeat(max + 1)),
      json(EMOJI.repeat(min - 1)),
      json(EMOJI.repeat(max + 1)),
      '"aaaaaaaaa\\u0000b"',
      ...LONE_SURROGATES,
      ...NO_TEXT,
    ],
  };
}

function ofWhole(min: number, max: number): BoundaryValues {
  const huge = ['4294967296', '18446744073709552616'].filter((text) => Number(text) > max);
  return {
    promise: `takes whole numbers from ${min} to ${max}`,
    inside: [String(min), String(max), `${min}.0`, `${max}0e-1`],
    outside: [
      String(min - 1),
      // One more than the greatest safe integer is still distinguishable from it.
      String(BigInt(max) + 1n),
      ...huge,
      `${min}.5`,
      // Not integers, although the nearest representable numbers are.
      ...(min > 0 ? [`${min - 1}.99999999999999999999`] : ['1e-400']),
      `${max}.00000000000000000001`,
      '1e400',
      '-1e400',
      json(String(min)),
      ...['null', 'true', '""', `[${min}]`, '{}'],
    ],
  };
}

function ofEnum(values: readonly string[]): BoundaryValues {
  const [first = ''] = values;
  return {
    promise: `takes one of its values, ${values.length} in number`,
    inside: values.map(json),
    outside: [
      ...[
        'something-else',
        '',
        first.toUpperCase(),
        `${first} `,
        ` ${first}`,
        'constructor',
        'unspecified',
      ].map(json),
      ...['null', '1', 'true', json([first])],
    ],
  };
}

const NO_BOOLEAN = ['null', '1', '0', '"true"', '""', '[]', '{}'];

function ofTrue(): BoundaryValues {
  return { promise: 'takes true', inside: ['true'], outside: ['false', ...NO_BOOLEAN] };
}

function ofList(minItems: number, items: JsonSchema): BoundaryValues {
  const all = boundaryValues(items).inside;
  return {
    promise: `takes a list of ${minItems} or more items`,
    inside: [`[${all.slice(0, minItems).join()}]`, `[${[...all, ...all].join()}]`],
    outside: [`[${all.slice(0, minItems - 1).join()}]`, 'null', '"phone"', '{}', '{"0":"phone"}'],
  };
}

function ofFormat(format: string): BoundaryValues {
  const texts = FORMATS[format];
  if (!texts) throw new Error(`no values are known for the format ${format}`);
  const { promise, inside, outside } = texts;
  return { promise, inside: inside.map(json), outside: [...outside.map(json), 'null', '20261120', '{}'] };
}

const FORMATS: Readonly<Record<string, BoundaryValues>> = {
  'utc-timestamp': {
    promise: 'takes existing times in UTC',
    inside: ['2024-02-29T23:59:59Z', '2026-01-01T00:00:00.1Z', '2026-01-01T00:00:00.123456789Z'],
    outside: [
      '2026-11-20T10:00:00',
      '2026-11-20T10:00:00+00:00',
      '2026-11-20T10:00:00z',
      '2026-11-20t10:00:00Z',
      '2026-11-20 10:00:00Z',
      '2026-11-20T10:00Z',
      '2026-11-20T10:00:00.Z',
      '2026-11-20T10:00:00,5Z',
      '2026-11-20T10:00:00.1234567890Z',
      '2026-02-29T10:00:00Z',
      '2100-02-29T10:00:00Z',
      '2026-13-01T10:00:00Z',
      '2026-00-01T10:00:00Z',
      '2026-04-31T10:00:00Z',
      '2026-11-00T10:00:00Z',
      '2026-11-20T24:00:00Z',
      '2026-11-20T10:60:00Z',
      '2026-11-20T10:00:61Z',
      '26-11-20T10:00:00Z',
      '+002026-11-20T10:00:00Z',
      '2026-11-20T10:00:00Z ',
      '2026-11-20T10:00:00Z\n',
      '٢٠٢٦-11-20T10:00:00Z',
      '2026-11-20',
      '',
    ],
  },
  'calendar-date': {
    promise: 'takes existing days',
    inside: ['1984-02-29', '2000-02-29', '2026-12-31'],
    outside: [
      '2025-02-29',
      '1900-02-29',
      '2026-13-01',
      '2026-00-10',
      '2026-04-31',
      '2026-1-1',
      '85-02-01',
      '20260101',
      '2026-01-01T00:00:00Z',
      '01/02/1980',
      '',
    ],
  },
  'calendar-month': {
    promise: 'takes existing months',
    inside: ['2020-01', '2020-12'],
    outside: ['2026-13', '2026-00', '2026-1', '2026', '2026-01-01', '202601', ''],
  },
  uuid: {
    promise: 'takes UUIDs',
    inside: ['01890000-0000-7000-8000-00000000000d', '01890000-0000-7000-8000-00000000000D'],
    outside: ['x', '', '01890000-0000-7000-8000-00000000000', '{01890000-0000-7000-8000-00000000000d}'],
  },
};
