import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** Values of `-o`. */
export const OUTPUT_FORMATS = ['wide', 'json', 'csv', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

export interface FormatFlags {
  readonly output?: OutputFormat;
  /** The column to sort the list by. */
  readonly sortBy?: string;
  readonly wide?: boolean;
  readonly json?: boolean;
  readonly csv?: boolean;
  /** With CSV: begin with a byte order mark. */
  readonly bom?: boolean;
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
  /** With CSV: begin with a byte order mark. */
  readonly bom?: boolean | undefined;
}

export function formatOf(flags: FormatFlags): Format {
  const [form] = formatsIn(flags);
  return {
    kind: form === undefined || form === 'wide' ? 'text' : form,
    wide: form === 'wide',
    get: flags.get,
    raw: flags.raw,
    bom: flags.bom,
  };
}

/** `--wide`, `--json` and `--csv` are aliases of `-o wide`, `-o json` and `-o csv`. */
const formatsIn = ({ output, wide, json, csv }: FormatFlags): readonly OutputFormat[] => [
  ...new Set([
    ...(output ? [output] : []),
    ...(wide ? ['wide' as const] : []),
    ...(json ? ['json' as const] : []),
    ...(csv ? ['csv' as const] : []),
  ]),
];

/** Rejects conflicting formats, and raw output to a terminal. Throws CommandFailure. */
export function checkFormats(flags: FormatFlags, { isTerminal }: Terminal): void {
  const refuse = (message: string): never => {
    throw new CommandFailure(exitCodes.usage, message);
  };
  const { get, raw, sortBy, bom } = flags;
  const selected = formatsIn(flags);
  if (selected.length > 1) refuse(`give only one output format, not ${selected.join(' and ')}`);
  const [form] = selected;
  if (get !== undefined && (form === 'name' || form === 'wide')) refuse(`give either -o ${form} or --get`);
  if (get !== undefined && sortBy !== undefined)
    refuse('--sort-by does not apply to --get, which prints one value');
  if (bom && !(selected.includes('csv') && get === undefined)) refuse('--bom requires --csv');
  if (bom && isTerminal) refuse('--bom is for files: redirect the output to a file');
  if (raw && get === undefined) refuse('--raw requires --get');
  if (raw && isTerminal)
    refuse('--raw could send control characters to this terminal: redirect it to a file or a pipe');
}

/** Rejects list formats for commands that combine several answers. Throws CommandFailure. */
export function rejectListFormats({ output, sortBy }: FormatFlags, name: string): void {
  if (output !== 'name' && sortBy === undefined) return;
  throw new CommandFailure(
    exitCodes.usage,
    `\`sss ${name}\` does not support ${output === 'name' ? '-o name' : '--sort-by'}`,
  );
}
