import { execFileSync } from 'node:child_process';
import { itWith, PYTHON } from '@supplier/lib/testing';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { operations } from '../operations.ts';
import { buildOpenApi } from './document.ts';
import type { JsonSchema } from './document-types.ts';

const document = buildOpenApi(operations, 'screening_provider');
const { schemas } = document.components;
const requestSchemas = Object.entries(schemas).filter(([name]) => name.endsWith('Request'));

/** Returns every schema inside a schema, including referenced ones. */
function schemasIn(schema: JsonSchema): JsonSchema[] {
  const referred = schema.$ref === undefined ? undefined : schemas[schema.$ref.split('/').at(-1) ?? ''];
  const inner = [...Object.values(schema.properties ?? {}), schema.items, referred].filter(
    (one) => one !== undefined,
  );
  return [schema, ...inner.flatMap(schemasIn)];
}

const parameters = Object.values(document.paths)
  .flatMap((item) => [item.get, item.post])
  .flatMap((operation) => operation?.parameters ?? []);
const sent = [
  ...requestSchemas.map(([, schema]) => schema),
  ...parameters.map(({ schema }) => schema),
].flatMap(schemasIn);
const freeTexts = sent.filter(
  ({ type, enum: values, format, maxLength }) =>
    type === 'string' && !values && !format && maxLength !== undefined,
);
const patterns = [...new Set(sent.flatMap(({ pattern }) => pattern ?? []))];

const ajv = new Ajv2020({ strict: false, formats: { uuid: true, date: true } });

describe('published request schemas', () => {
  it('omit the format date-time, because clients with that format write +00:00, and keep the pattern', () => {
    expect(sent.filter(({ format }) => format === 'date-time')).toEqual([]);
    const times = sent.filter(({ pattern }) => pattern?.endsWith('Z$'));
    expect(times.length).toBeGreaterThan(5);
    for (const time of times) {
      expect(ajv.validate(time, '2026-11-20T09:30:00.123456789Z')).toBe(true);
      expect(ajv.validate(time, '2026-11-20T09:30:00+00:00')).toBe(false);
    }
  });

  it('reject only NUL and unpaired surrogates in free text', () => {
    expect(freeTexts.length).toBeGreaterThan(40);
    for (const schema of freeTexts) {
      const isRequestId = schema.pattern?.startsWith('^[\\x21') === true;
      for (const text of [
        'ab\u0000cdefgh',
        'abcdefgh\ud83d',
        '\ude9aabcdefgh',
        'abcd\ude9a\ud83defgh',
        '\ud83d\ud83d\ude9aabcdef',
      ])
        expect([schema, text, ajv.validate(schema, text)]).toEqual([schema, text, false]);
      for (const text of [
        'abcdefgh',
        ...(isRequestId ? [] : ['p{Cs}x00 sS', '🚚🚚🚚🚚🚚🚚🚚🚚', 'a🚚\n東京 \uFFFF\uE000\uD7FF']),
      ])
        expect([schema, text, ajv.validate(schema, text)]).toEqual([schema, text, true]);
    }
  });

  it('restrict a request id to 1 to 128 visible ASCII characters', () => {
    const ids = parameters.filter(({ name }) => name === 'X-Request-Id');
    expect(ids).toHaveLength(8);
    for (const { schema } of ids) {
      for (const id of ['a', '!~'.repeat(64)]) expect(ajv.validate(schema, id)).toBe(true);
      for (const id of ['', 'a b', 'é', 'a\n', '\u007f', 'a'.repeat(129)])
        expect([id, ajv.validate(schema, id)]).toEqual([id, false]);
    }
  });
});

describe('patterns of request schemas', () => {
  it('match the same texts in JavaScript with and without Unicode mode', () => {
    for (const pattern of patterns)
      for (const text of ['', 'abc', 'p{Cs}', '2026-11-20T09:30:00Z', '2026-11', '🚚', '\u0000', 'é'])
        expect([pattern, text, new RegExp(pattern).test(text)]).toEqual([
          pattern,
          text,
          new RegExp(pattern, 'u').test(text),
        ]);
  });

  it('avoid syntax that engines of other languages reject, such as \\u, \\p or a lookaround', () => {
    expect(patterns.length).toBeGreaterThan(3);
    for (const pattern of patterns) expect(pattern).not.toMatch(/\\[uUpP]|\(\?/);
  });

  itWith(PYTHON)('compile in Python', () => {
    const input = JSON.stringify(patterns);
    const program = 'import json, re, sys\nprint(len([re.compile(one) for one in json.load(sys.stdin)]))';
    expect(Number(execFileSync('python3', ['-c', program], { input, encoding: 'utf8' }))).toBe(
      patterns.length,
    );
  });
});
