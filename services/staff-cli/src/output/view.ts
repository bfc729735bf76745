import { type DescField, type DescMessage, isFieldSet, type Message } from '@bufbuild/protobuf';
import { type ReflectMessage, reflect } from '@bufbuild/protobuf/reflect';
import { DETAILS, EMPTY, formatAt, formatField, labelOf } from './format-value.ts';
import { type Table, tableLines } from './table.ts';

const TIMESTAMP = 'google.protobuf.Timestamp';
const INDENT = '  ';
const PAGE_TOKEN = 'next_page_token';

/** Returns the list of messages that is the subject of an answer, or undefined if there is none. */
export function listOf(
  schema: DescMessage,
): (DescField & { fieldKind: 'list'; listKind: 'message' }) | undefined {
  const lists = schema.fields.filter((field) => field.fieldKind === 'list' && field.listKind === 'message');
  const isPage = schema.fields.some(({ name }) => name === PAGE_TOKEN);
  const [only] = lists;
  if (lists.length !== 1 || only?.fieldKind !== 'list' || only.listKind !== 'message') return undefined;
  return isPage || schema.fields.length === 1 ? only : undefined;
}

/** Returns the other fields of a page, besides its list and token: `count 12`, `oldest_received_at …`. */
export const fieldsBesideList = (schema: DescMessage, message: Message): string[] =>
  schema.fields
    .filter((field) => isPlain(field) && field.name !== PAGE_TOKEN && isFieldSet(message, field))
    .map((field) => `${field.name} ${formatField(reflect(schema, message), field)}`);

/** Returns messages as a table. Without `columns`, every plain field is a column. */
export function tableOf(
  schema: DescMessage,
  messages: readonly Message[],
  columns?: readonly string[],
): Table {
  const paths = columns ?? plainPaths(schema);
  return {
    heads: paths.map((path) => (path.split('.').at(-1) ?? path).toUpperCase()),
    rows: messages.map((message) => paths.map((path) => formatAt(message, schema, path))),
  };
}

/** Returns the plain fields, and two columns for each oneof of messages: which one is set, and its content. */
export const plainPaths = (schema: DescMessage) => [
  ...schema.fields.filter((field) => isPlain(field) && field.oneof === undefined).map(({ name }) => name),
  ...schema.oneofs.flatMap(({ name }) => [name, `${name}.${DETAILS}`]),
];

/** Formats an answer for people: its fields with their names, and each list in it as a table. */
export function viewLines(schema: DescMessage, message: Message, width: number | undefined): string[] {
  const lines = fieldLines(reflect(schema, message), '', width);
  return lines.length > 0 ? lines : ['done'];
}

function fieldLines(message: ReflectMessage, indent: string, width: number | undefined): string[] {
  const shown = message.fields.filter((field) => isShown(message, field));
  const widest = Math.max(0, ...shown.filter(isPlain).map(({ name }) => labelOf(name).length));
  return shown.flatMap((field) => {
    if (isPlain(field))
      return [`${indent}${labelOf(field.name).padEnd(widest)}${INDENT}${formatField(message, field)}`];
    if (field.fieldKind === 'message')
      return [`${indent}${field.name}`, ...fieldLines(message.get(field), indent + INDENT, width)];
    const inside = indent + INDENT;
    if (field.fieldKind === 'list' && field.listKind === 'message') {
      const items = [...message.get(field)].map((item) => (item as ReflectMessage).message);
      return [
        `${indent}${field.name}`,
        ...indented(listLines(field.message, items, width && width - inside.length), inside),
      ];
    }
    return [];
  });
}

/** Formats a list inside an answer: as a table, or as blocks if its items contain lists or messages. */
function listLines(schema: DescMessage, items: readonly Message[], width: number | undefined): string[] {
  if (schema.fields.every((field) => isPlain(field) || field.oneof !== undefined))
    return tableLines(withoutEmpty(tableOf(schema, items)), width);
  return items.flatMap((item, at) => [
    ...(at > 0 ? [''] : []),
    ...fieldLines(reflect(schema, item), '', width),
  ]);
}

/** Removes columns that are empty in every row. */
export function withoutEmpty({ heads, rows }: Table): Table {
  const kept = heads.map((_, at) => rows.some((row) => row[at] !== EMPTY));
  const pick = (cells: readonly string[]) => cells.filter((_, at) => kept[at]);
  return { heads: pick(heads), rows: rows.map(pick) };
}

/** Returns whether a field is a single value or a list of values. */
const isPlain = (field: DescField) =>
  field.fieldKind === 'scalar' ||
  field.fieldKind === 'enum' ||
  (field.fieldKind === 'list' && field.listKind !== 'message') ||
  (field.fieldKind === 'message' && field.message.typeName === TIMESTAMP);

/** Empty fields are left out, but booleans are always shown. */
const isShown = (message: ReflectMessage, field: DescField) =>
  field.fieldKind === 'scalar' && typeof message.get(field) === 'boolean' ? true : message.isSet(field);

const indented = (lines: readonly string[], indent: string) => lines.map((line) => `${indent}${line}`);

/** Returns the messages of a list field. */
export function messagesIn(schema: DescMessage, message: Message, name: string): readonly Message[] {
  const reflected = reflect(schema, message);
  const field = schema.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind !== 'list' || field.listKind !== 'message') return [];
  return [...reflected.get(field)].map((item) => (item as { readonly message: Message }).message);
}
