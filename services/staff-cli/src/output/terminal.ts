import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { visible, visibleLines } from '@supplier/lib/text/visible';

/**
 * Where answers go (`say`), and what is said beside them (`note`): scripts read the first alone. Nothing reaches either but
 * what can be seen; only `raw` writes a text as it is.
 */
export interface Terminal {
  /** Columns of the terminal; undefined where the output is no terminal, and nothing is cut. */
  readonly width: number | undefined;
  /** The same of where notes and questions go. */
  readonly noteWidth: number | undefined;
  /** Whether somebody can be asked. */
  readonly interactive: boolean;
  say(line: string): void;
  lines(lines: readonly string[]): void;
  write(text: string): void;
  /** Writes what was asked for byte by byte, control characters and all; never where `width` says that it is a terminal. */
  raw(text: string): void;
  /** Writes, and waits where the reader is slower. */
  flushed(text: string): Promise<void>;
  note(line: string): void;
  /** Asks one question. Resolves to the answer, which is empty at the end of the input. */
  ask(question: string, signal: AbortSignal): Promise<string>;
}

export function processTerminal({ stdin, stdout, stderr }: NodeJS.Process): Terminal {
  const write = (text: string) => void stdout.write(text);
  return visiblyWriting({
    width: stdout.isTTY ? stdout.columns : undefined,
    noteWidth: stderr.isTTY ? stderr.columns : undefined,
    interactive: Boolean(stdin.isTTY && stderr.isTTY),
    say: (line) => write(`${line}\n`),
    lines: (lines) => write(lines.map((line) => `${line}\n`).join('')),
    write,
    raw: write,
    async flushed(text) {
      if (!stdout.write(text)) await once(stdout, 'drain');
    },
    note: (line) => void stderr.write(`${line}\n`),
    async ask(question, signal) {
      const reader = createInterface({ input: stdin, output: stderr });
      const ended = once(reader, 'close').then(() => '');
      try {
        return await Promise.race([reader.question(question, { signal }), ended]);
      } finally {
        reader.close();
      }
    },
  });
}

/** A terminal to which whatever cannot be seen is written as an escape: the one place that all output comes through. */
export function visiblyWriting(terminal: Terminal): Terminal {
  return {
    ...terminal,
    say: (line) => terminal.say(visible(line)),
    lines: (lines) => terminal.lines(lines.map(visible)),
    write: (text) => terminal.write(visibleLines(text)),
    flushed: (text) => terminal.flushed(visibleLines(text)),
    note: (text) => terminal.note(visibleLines(text)),
    ask: (question, signal) => terminal.ask(visible(question), signal),
  };
}
