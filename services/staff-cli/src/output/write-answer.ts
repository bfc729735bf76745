import { type DescMessage, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { csvRecord } from '@supplier/lib/text/csv';
import { withSpelledEnums } from '@supplier/lib/text/enum-spelling';
import { visible } from '@supplier/lib/text/visible';
import { ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { approvalLines } from './approval-view.ts';
import type { Format } from './format.ts';
import { columnsOf, type ListShape, namePath } from './list-shape.ts';
import { NOTHING, spellAt } from './spell-value.ts';
import { type Table, tableLines } from './table.ts';
import type { Terminal } from './terminal.ts';
import { besideList, listOf, messagesIn, tableOf, viewLines } from './view.ts';

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
  shape: ListShape,
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
    const about = list?.message ?? schema;
    const table = (all: boolean) => tableOf(about, items, columnsOf(about, shape, all));
    switch (format.kind) {
      case 'name':
        return namesOf(about, items, shape);
      case 'json':
        return `${JSON.stringify(jsonOf(schema, message), null, 2)}\n`;
      case 'csv':
        return csvText(table(true), true);
      case 'text': {
        const width = format.wide ? undefined : terminal.width;
        return textOf(list ? tableLines(table(format.wide ?? false), width) : viewOf(schema, message, width));
      }
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
  shape: ListShape,
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
    const about = list?.message ?? schema;
    const table = (all: boolean) => tableOf(about, items(), columnsOf(about, shape, all));
    switch (format.kind) {
      case 'name':
        return namesOf(about, items(), shape);
      case 'json':
        return textOf(messages.map((message) => JSON.stringify(jsonOf(schema, message))));
      case 'csv':
        return csvText(table(true), first);
      case 'text': {
        const width = format.wide ? undefined : terminal.width;
        return textOf(tableLines(table(format.wide ?? false), width).slice(first ? 0 : 1));
      }
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
  else terminal.lines(tableLines(tables.text, format.wide ? undefined : terminal.width));
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

/** The ids alone, one on each line: for the next command, or its --file. */
function namesOf(schema: DescMessage, items: readonly Message[], shape: ListShape): string {
  const path = namePath(schema, shape);
  return textOf(path === undefined ? [] : items.map((item) => spellAt(item, schema, path)));
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

const csvText = ({ heads, rows }: Table, withHead: boolean) =>
  [...(withHead ? [heads.map((head) => head.toLowerCase())] : []), ...rows].map(csvLine).join('');

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

/** Pence are shown with two decimals, whole pounds without. */
const MONEY = /^-?£[\d,]+(?:\.\d\d)?$/;

/**
 * One record, from what a table shows: money as a number of what its column is named for, pence or pounds; nothing as
 * nothing.
 */
export const csvLine = (cells: readonly string[]): string => csvRecord(cells.map(cellOf));

function cellOf(shown: string): string {
  if (shown === NOTHING) return '';
  return MONEY.test(shown) ? amountOf(shown) : shown;
}

const amountOf = (shown: string): string => `${BigInt(shown.replace(/[£,.]/g, ''))}`;
