import {
  create,
  type DescField,
  type DescMessage,
  type JsonValue,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { columnsOf } from '../output/list-shape.ts';
import { tableLines } from '../output/table.ts';
import { listOf, tableOf } from '../output/view.ts';
import { jsonOf, valueAt } from '../output/write-answer.ts';
import { allCommands } from './all-commands.ts';

const ID = '01998c1e-7d5c-7000-8000-000000000001';
const TEXT = 'as long as people write '.repeat(8).trim();

/** Returns a message whose fields all have long values. */
function full(schema: DescMessage, depth = 0): Message {
  const message = reflect(schema, create(schema));
  for (const field of schema.fields) fill(message, field, depth);
  return message.message;
}

function fill(message: ReflectMessage, field: DescField, depth: number): void {
  if (field.fieldKind === 'message' && depth < 3) {
    const inside =
      field.message.typeName === 'google.protobuf.Timestamp'
        ? create(field.message, { seconds: 1_800_000_000n })
        : full(field.message, depth + 1);
    message.set(field, reflect(field.message, inside));
  }
  if (field.fieldKind === 'list' && field.listKind === 'message' && depth < 3)
    message.get(field).add(reflect(field.message, full(field.message, depth + 1)));
  if (field.fieldKind === 'enum') {
    const defined = field.enum.values.filter(({ number }) => number !== 0);
    message.set(field, defined.reduce((a, b) => (a.name.length > b.name.length ? a : b)).number);
  }
  if (field.fieldKind === 'scalar') {
    const isId = field.name.endsWith('_id');
    if (field.scalar === ScalarType.STRING) message.set(field, isId ? ID : TEXT);
    if (field.scalar === ScalarType.BOOL) message.set(field, true);
    if (field.scalar === ScalarType.INT32 || field.scalar === ScalarType.UINT32)
      message.set(field, 1_234_567);
    if (field.scalar === ScalarType.INT64 || field.scalar === ScalarType.UINT64)
      message.set(field, 1_234_567n);
  }
}

const lists = allCommands.flatMap((declaration) => {
  const { method } = declaration;
  const schema = listOf(method.output)?.message ?? (declaration.columns ? method.output : undefined);
  return schema ? [[declaration.name, { declaration, schema }] as const] : [];
});

it.each(lists)('%s fits into 80 columns as one table, with whole ids', (_, { declaration, schema }) => {
  const columns = columnsOf(schema, declaration, false);
  const table = tableOf(schema, [full(schema)], columns);
  const lines = tableLines(table, 80);
  expect(lines).toHaveLength(2);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines[1]?.split(ID).length).toBe((table.rows[0] ?? []).filter((cell) => cell === ID).length + 1);
});

/** Returns each value in a JSON document that isn't a list or an object, with its path. */
const leavesOf = (json: JsonValue, path: readonly string[] = []): (readonly [string, JsonValue])[] =>
  typeof json === 'object' && json !== null
    ? Object.entries(json).flatMap(([name, value]) => leavesOf(value, [...path, name]))
    : [[path.join('.'), json]];

it.each(lists)('%s --get accepts each path that --json prints', (_, { declaration: { method } }) => {
  const answer = jsonOf(method.output, full(method.output));
  const leaves = leavesOf(answer);
  expect(leaves.length).toBeGreaterThan(0);
  for (const [path, value] of leaves) {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    const snake = path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    expect([path, valueAt(answer, path), valueAt(answer, snake)]).toEqual([path, text, text]);
  }
});

it.each(lists)('%s hides only columns that it has', (_, { declaration, schema }) => {
  expect(columnsOf(schema, declaration, true)).toEqual(expect.arrayContaining([...(declaration.wide ?? [])]));
});
