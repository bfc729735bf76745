import type { DescMessage, DescMethod, Message } from '@bufbuild/protobuf';
import { clone } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { FormatFlags } from './format.ts';
import { EMPTY, formatAt, labelOf } from './format-value.ts';
import { listOf, messagesIn, plainPaths } from './view.ts';

/** Display settings of a command's list. */
export interface ListShape {
  /** Paths of the columns, the most important first. By default, every plain field is a column. */
  readonly columns?: readonly string[];
  /** Columns shown only in `-o wide`, JSON and CSV. The others fit into a terminal of 80 columns. */
  readonly wide?: readonly string[];
  /** The field that `-o name` prints, if it is not the first id. */
  readonly namedBy?: string;
}

export function columnsOf(schema: DescMessage, shape: ListShape, all: boolean): readonly string[] {
  const columns = shape.columns ?? plainPaths(schema);
  return all ? columns : columns.filter((path) => !shape.wide?.includes(path));
}

/** Returns the path of the field that `-o name` prints, or undefined if there is none. */
export function namePath(schema: DescMessage, { columns, namedBy }: ListShape): string | undefined {
  return namedBy ?? (columns ?? idPaths(schema)).find((path) => path.endsWith('_id'));
}

/** Returns the paths of the message's own fields, then those in nested messages. */
const idPaths = (schema: DescMessage): string[] => [
  ...plainPaths(schema),
  ...schema.fields.flatMap((field) =>
    field.fieldKind === 'message' && field.oneof === undefined
      ? field.message.fields
          .filter(({ fieldKind }) => fieldKind === 'scalar')
          .map(({ name }) => `${field.name}.${name}`)
      : [],
  ),
];

/**
 * Throws CommandFailure for an output format that the command's answer does not have. It runs before any call: a
 * command that succeeded must not end with a failure.
 */
export function checkListFormats(
  { name, method, ...shape }: ListShape & { readonly name: string; readonly method: DescMethod },
  { output, sortBy }: FormatFlags,
): void {
  const list = listOf(method.output);
  if (output === 'name' && namePath(list?.message ?? method.output, shape) === undefined)
    throw new CommandFailure(
      exitCodes.usage,
      `\`sss ${name}\` does not support -o name, because its result has no id`,
    );
  if (sortBy === undefined) return;
  if (!list || method.methodKind === 'server_streaming')
    throw new CommandFailure(
      exitCodes.usage,
      `\`sss ${name}\` does not support --sort-by, because its result is not a list`,
    );
  sortPath(list.message, shape, sortBy);
}

/** Returns the path of the column that `sortBy` names, by path, field name or head. Throws CommandFailure. */
function sortPath(schema: DescMessage, shape: ListShape, sortBy: string): string {
  const wanted = sortBy.toLowerCase().replaceAll('-', '_');
  const columns = columnsOf(schema, shape, true);
  const nameOf = (path: string) => path.split('.').at(-1) ?? path;
  const found = columns.find((path) => [path, nameOf(path), labelOf(nameOf(path))].includes(wanted));
  if (found !== undefined) return found;
  const known = columns.map((path) => path.split('.').at(-1)).join(', ');
  throw new CommandFailure(exitCodes.usage, `--sort-by must be one of ${known}, not "${sortBy}"`);
}

/** Returns the answer with its list sorted by a column, rows without a value last. Throws CommandFailure. */
export function sortedAnswer(
  schema: DescMessage,
  answer: Message,
  shape: ListShape,
  sortBy: string,
): Message {
  const list = listOf(schema);
  if (!list) return answer;
  const path = sortPath(list.message, shape, sortBy);
  const rows = messagesIn(schema, answer, list.name).map(
    (row) => [formatAt(row, list.message, path), row] as const,
  );
  rows.sort(([one], [other]) => compare(one, other));
  const sorted = reflect(schema, clone(schema, answer));
  sorted.get(list).clear();
  for (const [, row] of rows) sorted.get(list).add(reflect(list.message, row));
  return sorted.message;
}

const NUMBER = /^[-−]?£?[\d,]+(?:\.\d+)?$/;
const numberOf = (text: string) => Number(text.replace('−', '-').replace(/[£,]/g, ''));

function compare(one: string, other: string): number {
  if (one === EMPTY || other === EMPTY) return Number(one === EMPTY) - Number(other === EMPTY);
  if (NUMBER.test(one) && NUMBER.test(other)) return numberOf(one) - numberOf(other);
  return one < other ? -1 : Number(one > other);
}
