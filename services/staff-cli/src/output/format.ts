import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Values of `-o`. */
export const forms = ['wide', 'json', 'csv', 'name'] as const;
export type Form = (typeof forms)[number];

/** Flags that select the output format. */
export interface FormatFlags {
  readonly output?: Form;
  /** The column to sort the list by. */
  readonly sortBy?: string;
  readonly json?: boolean;
  readonly csv?: boolean;
  readonly get?: string;
  readonly raw?: boolean;
}

/** The output format. `get` is the path of the only value to print. */
export interface Format {
  readonly kind: 'text' | 'json' | 'csv' | 'name';
  /** With text: show every column, and truncate nothing. */
  readonly wide?: boolean;
  readonly get: string | undefined;
  /** With `get`: write the text unescaped. */
  readonly raw?: boolean | undefined;
}

/** Returns the format that the flags select. */
export function formatOf(flags: FormatFlags): Format {
  const [form] = formsOf(flags);
  return {
    kind: form === undefined || form === 'wide' ? 'text' : form,
    wide: form === 'wide',
    get: flags.get,
    raw: flags.raw,
  };
}

/** `--json` and `--csv` are aliases of `-o json` and `-o csv`. */
const formsOf = ({ output, json, csv }: FormatFlags): readonly Form[] => [
  ...new Set([
    ...(output ? [output] : []),
    ...(json ? ['json' as const] : []),
    ...(csv ? ['csv' as const] : []),
  ]),
];

/** Rejects conflicting formats, and raw output to a terminal. Throws CommandFailure. */
export function refuseFormats(flags: FormatFlags, { width }: Terminal): void {
  const refuse = (message: string): never => {
    throw new CommandFailure(exitCodes.usage, message);
  };
  const { get, raw, sortBy, output } = flags;
  const stated = formsOf(flags);
  if (stated.length > 1) refuse(`${stated.join(' and ')} are forms of one answer: give one of them`);
  if (get !== undefined && (output === 'name' || output === 'wide'))
    refuse(`-o ${output} and --get are two ways to print an answer: give one of them`);
  if (get !== undefined && sortBy !== undefined) refuse('--get prints one value: there is nothing to sort');
  if (raw && get === undefined) refuse('--raw is for the one value that --get prints: give both');
  if (raw && width !== undefined)
    refuse('--raw could do to this terminal whatever the text says: write it to a file or a pipe');
}

/** Rejects list formats for commands that combine several answers. Throws CommandFailure. */
export function refuseListFormats({ output, sortBy }: FormatFlags, name: string): void {
  if (output !== 'name' && sortBy === undefined) return;
  throw new CommandFailure(
    exitCodes.usage,
    `\`sss ${name}\` is no list of one kind, and has no ${output === 'name' ? '-o name' : '--sort-by'}`,
  );
}
