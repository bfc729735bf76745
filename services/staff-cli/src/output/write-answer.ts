import type { DescMessage, JsonValue, Message } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { csvLine } from './csv.ts';
import { type Table, tableLines } from './table.ts';
import type { Terminal } from './terminal.ts';
import { besideList, listOf, tableOf, viewLines } from './view.ts';

/** How an answer is written: `get` is the path of the one value that is wanted. */
export interface Format {
  readonly kind: 'text' | 'json' | 'csv';
  readonly get: string | undefined;
}

/** Protobuf's JSON of a message, with what is false, zero or empty: scripts ask for it by name. */
export const jsonOf = (schema: DescMessage, message: Message): JsonValue =>
  toJson(schema, message, { alwaysEmitImplicit: true });

/** Writes the whole answer of a call. */
export function writeAnswer(
  schema: DescMessage,
  message: Message,
  columns: readonly string[] | undefined,
  format: Format,
  terminal: Terminal,
): void {
  const list = listOf(schema);
  const items = list ? messagesIn(schema, message, list.name) : [message];
  if (format.get === undefined && format.kind === 'text' && list && items.length === 0)
    terminal.note('nothing found');
  else terminal.write(answerText());
  if (list && format.kind === 'text' && format.get === undefined)
    for (const line of besideList(schema, message)) terminal.note(line);

  function answerText(): string {
    if (format.get !== undefined) return `${valueAt(jsonOf(schema, message), format.get)}\n`;
    const table = () => tableOf(list?.message ?? schema, items, columns);
    switch (format.kind) {
      case 'json':
        return `${JSON.stringify(jsonOf(schema, message), null, 2)}\n`;
      case 'csv':
        return csvText(table(), true);
      case 'text':
        return textOf(
          list ? tableLines(table(), terminal.width) : viewLines(schema, message, terminal.width),
        );
    }
  }
}

/**
 * Writes the messages of a stream as they come: lines of JSON, records of CSV, or rows under one head. Where a message is
 * a list, its items are the records and rows.
 */
export function streamWriter(
  schema: DescMessage,
  columns: readonly string[] | undefined,
  format: Format,
  terminal: Terminal,
): (messages: readonly Message[]) => Promise<void> {
  const list = listOf(schema);
  let begun = false;
  return async (messages) => {
    const first = !begun;
    begun = true;
    await terminal.flushed(batchText(messages, first));
  };

  function batchText(messages: readonly Message[], first: boolean): string {
    const { get } = format;
    if (get !== undefined) return textOf(messages.map((message) => valueAt(jsonOf(schema, message), get)));
    const items = () =>
      list ? messages.flatMap((message) => messagesIn(schema, message, list.name)) : messages;
    const table = () => tableOf(list?.message ?? schema, items(), columns);
    switch (format.kind) {
      case 'json':
        return textOf(messages.map((message) => JSON.stringify(jsonOf(schema, message))));
      case 'csv':
        return csvText(table(), first);
      case 'text':
        return textOf(tableLines(table(), terminal.width).slice(first ? 0 : 1));
    }
  }
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

const csvText = ({ heads, rows }: Table, withHead: boolean) =>
  [...(withHead ? [heads.map((head) => head.toLowerCase())] : []), ...rows].map(csvLine).join('');

/** The messages of a list field. */
export function messagesIn(schema: DescMessage, message: Message, name: string): readonly Message[] {
  const reflected = reflect(schema, message);
  const field = schema.fields.find((candidate) => candidate.name === name);
  if (field?.fieldKind !== 'list' || field.listKind !== 'message') return [];
  return [...reflected.get(field)].map((item) => (item as { readonly message: Message }).message);
}

/** One value of an answer, alone on its line: a text as it is, everything else as JSON. Throws CommandFailure. */
export function valueAt(answer: JsonValue, path: string): string {
  let at: JsonValue | undefined = answer;
  for (const name of path.split('.')) {
    const key = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    if (Array.isArray(at)) at = at[Number(key)];
    else if (typeof at === 'object' && at !== null) at = at[key] ?? at[name];
    else at = undefined;
  }
  if (at === undefined || at === null)
    throw new CommandFailure(exitCodes.notFound, `the answer has no ${path}`, ['--json shows all of it']);
  return typeof at === 'string' ? at : JSON.stringify(at);
}
