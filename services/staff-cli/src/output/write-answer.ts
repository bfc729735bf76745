import type { DescMessage, JsonValue, Message } from '@bufbuild/protobuf';
import { toJson } from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import { ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { withSpelledEnums } from '../enum-names.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { CommonFlags } from '../session.ts';
import { approvalLines } from './approval-view.ts';
import { csvLine } from './csv.ts';
import { type Table, tableLines } from './table.ts';
import type { Terminal } from './terminal.ts';
import { besideList, listOf, tableOf, viewLines } from './view.ts';
import { visible } from './visible.ts';

/** How an answer is written: `get` is the path of the one value that is wanted. */
export interface Format {
  readonly kind: 'text' | 'json' | 'csv';
  readonly get: string | undefined;
  /** With `get`: the text as it is, whatever it does to a screen. */
  readonly raw?: boolean | undefined;
}

/** What flags say of it. */
export function formatOf({ json, csv, get, raw }: CommonFlags): Format {
  return { kind: json ? 'json' : csv ? 'csv' : 'text', get, raw };
}

/**
 * Protobuf's JSON of a message with what is false, zero or empty, since scripts ask for it by name, and with enums as they
 * are spelled everywhere else.
 */
export const jsonOf = (schema: DescMessage, message: Message): JsonValue =>
  withSpelledEnums(schema, toJson(schema, message, { alwaysEmitImplicit: true }));

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
  else if (format.get === undefined) terminal.write(answerText());
  else writeValue(jsonOf(schema, message), format.get, format, terminal);
  if (list && format.kind === 'text' && format.get === undefined)
    for (const line of besideList(schema, message)) terminal.note(line);

  function answerText(): string {
    const table = () => tableOf(list?.message ?? schema, items, columns);
    switch (format.kind) {
      case 'json':
        return `${JSON.stringify(jsonOf(schema, message), null, 2)}\n`;
      case 'csv':
        return csvText(table(), true);
      case 'text':
        return textOf(list ? tableLines(table(), terminal.width) : viewOf(schema, message, terminal.width));
    }
  }
}

/** Answers with a view of their own: what is approved is never cut. */
const VIEWS: Readonly<Record<string, (answer: Message, width: number | undefined) => string[]>> = {
  [ApprovalSchema.typeName]: approvalLines,
};

/** An answer as lines for people. */
export const viewOf = (schema: DescMessage, message: Message, width: number | undefined): string[] =>
  VIEWS[schema.typeName]?.(message, width) ?? viewLines(schema, message, width);

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
    // A line for each: a text of several lines must not look like several.
    if (get !== undefined)
      return textOf(messages.map((message) => visible(valueAt(jsonOf(schema, message), get))));
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

/** What a command says that is not the answer of one call: as a table, or as JSON, or one value of that. */
export function writeTable(
  json: JsonValue,
  tables: { readonly text: Table; readonly csv: Table },
  format: Format,
  terminal: Terminal,
): void {
  if (format.kind === 'json' || format.get !== undefined) writeJson(json, format, terminal);
  else if (format.kind === 'csv') terminal.write(csvText(tables.csv, true));
  else terminal.lines(tableLines(tables.text, terminal.width));
}

/** JSON as one document, or the one value of it that is wanted. */
export function writeJson(json: JsonValue, format: Format, terminal: Terminal): void {
  if (format.get !== undefined) writeValue(json, format.get, format, terminal);
  else terminal.write(`${JSON.stringify(json, null, 2)}\n`);
}

function writeValue(json: JsonValue, get: string, { raw }: Format, terminal: Terminal): void {
  const value = valueAt(json, get);
  if (raw) terminal.raw(value);
  else terminal.write(`${value}\n`);
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
