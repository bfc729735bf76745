import { type DescMessage, type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { BOM, csvRecord } from '@supplier/lib/text/csv';
import { withSpelledEnums } from '@supplier/lib/text/enum-spelling';
import { visible } from '@supplier/lib/text/visible';
import { ApprovalSchema } from '@supplier/proto/approval/v1/approval';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { approvalLines } from './approval-view.ts';
import type { Format } from './format.ts';
import { EMPTY, formatAt } from './format-value.ts';
import { columnsOf, type ListShape, namePath } from './list-shape.ts';
import { type Table, tableLines } from './table.ts';
import type { Terminal } from './terminal.ts';
import { fieldsBesideList, listOf, messagesIn, tableOf, viewLines } from './view.ts';

/**
 * Returns a message's protobuf JSON. It includes false, zero and empty values, which scripts read by name, and spells
 * enums as everywhere else.
 */
export const jsonOf = (schema: DescMessage, message: Message): JsonValue =>
  withSpelledEnums(schema, toJson(schema, message, { alwaysEmitImplicit: true }));

/** A message from another call that belongs to an answer, under a name of its own. */
export interface Related {
  /** In snake case, like the names of fields. */
  readonly name: string;
  readonly schema: DescMessage;
  readonly message: Message;
}

/** Writes the whole answer of a call. */
export function writeAnswer(
  schema: DescMessage,
  message: Message,
  shape: ListShape,
  format: Format,
  terminal: Terminal,
  related?: Related,
): void {
  const list = listOf(schema);
  const items = list ? messagesIn(schema, message, list.name) : [message];
  if (format.get === undefined && format.kind === 'text' && list && items.length === 0)
    terminal.note('no results');
  else if (format.get === undefined) {
    beginFile(format, terminal);
    terminal.write(answerText());
  } else writeValue(json(), format.get, format, terminal);
  if (list && format.kind === 'text' && format.get === undefined)
    for (const line of fieldsBesideList(schema, message)) terminal.note(line);

  function json(): JsonValue {
    const own = jsonOf(schema, message);
    if (!related || typeof own !== 'object') return own;
    return { ...own, [jsonName(related.name)]: jsonOf(related.schema, related.message) };
  }

  function answerText(): string {
    const about = list?.message ?? schema;
    const table = (all: boolean) => tableOf(about, items, columnsOf(about, shape, all));
    switch (format.kind) {
      case 'name':
        return namesOf(about, items, shape);
      case 'json':
        return `${JSON.stringify(json(), null, 2)}\n`;
      case 'csv':
        return csvText(table(true), true);
      case 'text': {
        const width = format.wide ? undefined : terminal.width;
        if (list) return textOf(tableLines(table(format.wide ?? false), width));
        const more = related
          ? [related.name, ...viewOf(related.schema, related.message, width).map((line) => `  ${line}`)]
          : [];
        return textOf([...viewOf(schema, message, width), ...more]);
      }
    }
  }
}

/** Messages with a custom view: approvals are never truncated. */
const VIEWS: Readonly<Record<string, (answer: Message, width: number | undefined) => string[]>> = {
  [ApprovalSchema.typeName]: approvalLines,
};

/** Formats an answer as lines for people. */
export const viewOf = (schema: DescMessage, message: Message, width: number | undefined): string[] =>
  VIEWS[schema.typeName]?.(message, width) ?? viewLines(schema, message, width);

/**
 * Returns a function that writes the messages of a stream as they arrive: lines of JSON, CSV records, or rows under one
 * head. If a message is a list, its items are the records and rows.
 */
export function streamWriter(
  schema: DescMessage,
  shape: ListShape,
  format: Format,
  terminal: Terminal,
): (messages: readonly Message[]) => Promise<void> {
  const list = listOf(schema);
  let hasStarted = false;
  return async (messages) => {
    const first = !hasStarted;
    hasStarted = true;
    if (first) beginFile(format, terminal);
    await terminal.flushed(batchText(messages, first));
  };

  function batchText(messages: readonly Message[], first: boolean): string {
    const { get } = format;
    // One line per message: a value of several lines must not look like several messages.
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

/** Writes a command's combined result as a table, as JSON, or one value of the JSON. */
export function writeTable(
  json: JsonValue,
  tables: { readonly text: Table; readonly wide?: Table; readonly csv: Table },
  format: Format,
  terminal: Terminal,
): void {
  if (format.kind === 'json' || format.get !== undefined) writeJson(json, format, terminal);
  else if (format.kind === 'csv') {
    beginFile(format, terminal);
    terminal.write(csvText(tables.csv, true));
  } else if (format.wide) terminal.lines(tableLines(tables.wide ?? tables.text, undefined));
  else terminal.lines(tableLines(tables.text, terminal.width));
}

/** Writes JSON as one document, or only the requested value. */
export function writeJson(json: JsonValue, format: Format, terminal: Terminal): void {
  if (format.get !== undefined) writeValue(json, format.get, format, terminal);
  else terminal.write(`${JSON.stringify(json, null, 2)}\n`);
}

function writeValue(json: JsonValue, get: string, { raw }: Format, terminal: Terminal): void {
  const value = valueAt(json, get);
  if (raw) terminal.raw(value);
  else terminal.write(`${value}\n`);
}

/** Writes the byte order mark, if it was asked for. `checkFormats` allows it with CSV only. */
function beginFile({ bom }: Format, terminal: Terminal): void {
  if (bom) terminal.raw(BOM);
}

/** Returns only the ids, one per line, for the next command or its --file. */
function namesOf(schema: DescMessage, items: readonly Message[], shape: ListShape): string {
  const path = namePath(schema, shape);
  return textOf(path === undefined ? [] : items.map((item) => formatAt(item, schema, path)));
}

const textOf = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('');

const csvText = ({ heads, rows }: Table, withHead: boolean) =>
  [...(withHead ? [heads.map((head) => head.toLowerCase())] : []), ...rows].map(csvLine).join('');

const jsonName = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Returns the names of a path, which may be written as `jq` does: `events[0].state`, `.events.0.state`. */
const namesIn = (path: string): string[] =>
  path
    .replace(/\[(\d+)\]/g, '.$1')
    .replace(/^\./, '')
    .split('.');

/** Returns one value of an answer: a string as it is, anything else as JSON. Throws CommandFailure. */
export function valueAt(answer: JsonValue, path: string): string {
  let at: JsonValue | undefined = answer;
  for (const name of namesIn(path)) {
    const key = jsonName(name);
    if (Array.isArray(at)) at = at[Number(key)];
    else if (typeof at === 'object' && at !== null) at = at[key] ?? at[name];
    else at = undefined;
  }
  if (at === undefined || at === null)
    throw new CommandFailure(exitCodes.notFound, `the result has no ${path}`, [
      '--json shows the whole result',
    ]);
  return typeof at === 'string' ? at : JSON.stringify(at);
}

/** Pence are shown with two decimals, whole pounds without. */
const MONEY = /^−?£[\d,]+(?:\.\d\d)?$/;

/**
 * Returns one CSV record from table cells. Money becomes a number in the column's unit, pence or pounds, and an empty
 * cell an empty field.
 */
export const csvLine = (cells: readonly string[]): string => csvRecord(cells.map(cellOf));

function cellOf(shown: string): string {
  if (shown === EMPTY) return '';
  return MONEY.test(shown) ? amountOf(shown) : shown;
}

const amountOf = (shown: string): string => `${BigInt(shown.replace('−', '-').replace(/[£,.]/g, ''))}`;
