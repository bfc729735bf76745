import { type DescField, type DescMessage, isFieldSet, type Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { DETAILS, labelOf, NOTHING, spellAt, spellField } from './spell-value.ts';
import { type Table, tableLines } from './table.ts';

const TIMESTAMP = 'google.protobuf.Timestamp';
const INDENT = '  ';
const PAGE_TOKEN = 'next_page_token';

/** The one list of messages that an answer is about; undefined when it is about something else. */
export function listOf(
  schema: DescMessage,
): (DescField & { fieldKind: 'list'; listKind: 'message' }) | undefined {
  const lists = schema.fields.filter((field) => field.fieldKind === 'list' && field.listKind === 'message');
  const isPage = schema.fields.some(({ name }) => name === PAGE_TOKEN);
  const [only] = lists;
  if (lists.length !== 1 || only?.fieldKind !== 'list' || only.listKind !== 'message') return undefined;
  return isPage || schema.fields.length === 1 ? only : undefined;
}

/** What a page says beside its list and its token: `count 12`, `oldest_received_at …`. */
export const besideList = (schema: DescMessage, message: Message): string[] =>
  schema.fields
    .filter((field) => isPlain(field) && field.name !== PAGE_TOKEN && isFieldSet(message, field))
    .map((field) => `${field.name} ${spellField(reflect(schema, message), field)}`);

/** Messages as a table; without `columns`, every plain field is one. */
export function tableOf(
  schema: DescMessage,
  messages: readonly Message[],
  columns?: readonly string[],
): Table {
  const paths = columns ?? plainPaths(schema);
  return {
    heads: paths.map((path) => (path.split('.').at(-1) ?? path).toUpperCase()),
    rows: messages.map((message) => paths.map((path) => spellAt(message, schema, path))),
  };
}

/** The plain fields, and two columns for each choice between messages: which one it is, and what it says. */
export const plainPaths = (schema: DescMessage) => [
  ...schema.fields.filter((field) => isPlain(field) && field.oneof === undefined).map(({ name }) => name),
  ...schema.oneofs.flatMap(({ name }) => [name, `${name}.${DETAILS}`]),
];

/** An answer as lines for people: its fields with their names, and each list in it as a table. */
export function viewLines(schema: DescMessage, message: Message, width: number | undefined): string[] {
  const lines = fieldLines(reflect(schema, message), '', width);
  return lines.length > 0 ? lines : ['done'];
}

function fieldLines(message: ReflectMessage, indent: string, width: number | undefined): string[] {
  const shown = message.fields.filter((field) => isShown(message, field));
  const widest = Math.max(0, ...shown.filter(isPlain).map(({ name }) => labelOf(name).length));
  return shown.flatMap((field) => {
    if (isPlain(field))
      return [`${indent}${labelOf(field.name).padEnd(widest)}${INDENT}${spellField(message, field)}`];
    if (field.fieldKind === 'message')
      return [`${indent}${field.name}`, ...fieldLines(message.get(field), indent + INDENT, width)];
    if (field.fieldKind === 'list' && field.listKind === 'message') {
      const items = [...message.get(field)].map((item) => (item as ReflectMessage).message);
      return [`${indent}${field.name}`, ...indented(listLines(field.message, items, width), indent + INDENT)];
    }
    return [];
  });
}

/** A list inside an answer: a table, or blocks where its items have lists or messages of their own. */
function listLines(schema: DescMessage, items: readonly Message[], width: number | undefined): string[] {
  if (schema.fields.every((field) => isPlain(field) || field.oneof !== undefined))
    return tableLines(withoutEmpty(tableOf(schema, items)), width);
  return items.flatMap((item, at) => [
    ...(at > 0 ? [''] : []),
    ...fieldLines(reflect(schema, item), '', width),
  ]);
}

/** Columns in which no row has anything say nothing. */
export function withoutEmpty({ heads, rows }: Table): Table {
  const kept = heads.map((_, at) => rows.some((row) => row[at] !== NOTHING));
  const pick = (cells: readonly string[]) => cells.filter((_, at) => kept[at]);
  return { heads: pick(heads), rows: rows.map(pick) };
}

/** Whether a field is one value, or a list of such. */
const isPlain = (field: DescField) =>
  field.fieldKind === 'scalar' ||
  field.fieldKind === 'enum' ||
  (field.fieldKind === 'list' && field.listKind !== 'message') ||
  (field.fieldKind === 'message' && field.message.typeName === TIMESTAMP);

/** What has nothing to say is left out; a boolean always says something. */
const isShown = (message: ReflectMessage, field: DescField) =>
  field.fieldKind === 'scalar' && typeof message.get(field) === 'boolean' ? true : message.isSet(field);

const indented = (lines: readonly string[], indent: string) => lines.map((line) => `${indent}${line}`);

/** The messages of a list field. */
export function messagesIn(schema: DescMessage, message: Message, name: string): readonly Message[] {
  const reflected = reflect(schema, message);
  const field = schema.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind !== 'list' || field.listKind !== 'message') return [];
  return [...reflected.get(field)].map((item) => (item as { readonly message: Message }).message);
}
