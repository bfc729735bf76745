import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { visible, visibleLines } from '@supplier/lib/text/visible';

/**
 * The output for answers (`say`) and for notes (`note`): scripts read only the first. Both escape characters that can't
 * be seen. Only `raw` writes a text unchanged.
 */
export interface Terminal {
  /** Whether the output is a terminal, which control characters could harm. */
  readonly isTerminal: boolean;
  /** Width in columns. Files and pipes get the usual one. */
  readonly width: number;
  /** The same for the output of notes and questions. */
  readonly noteWidth: number;
  /** Whether the user can be asked questions. */
  readonly interactive: boolean;
  say(line: string): void;
  lines(lines: readonly string[]): void;
  write(text: string): void;
  /** Writes a value byte by byte, including control characters. Never used for a terminal. */
  raw(text: string): void;
  /** Writes, and waits while the reader is slower. */
  flushed(text: string): Promise<void>;
  note(line: string): void;
  /** Asks one question. Resolves to the answer, which is empty at the end of the input. */
  ask(question: string, signal: AbortSignal): Promise<string>;
}

export function processTerminal({ stdin, stdout, stderr }: NodeJS.Process): Terminal {
  const write = (text: string) => void stdout.write(text);
  return escapingTerminal({
    isTerminal: stdout.isTTY,
    width: widthOf(stdout),
    noteWidth: widthOf(stderr),
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

const USUAL_WIDTH = 80;
/** Also for a terminal that doesn't know its width. */
const widthOf = ({ isTTY, columns }: NodeJS.WriteStream) => (isTTY && columns) || USUAL_WIDTH;

/** Wraps a terminal so that invisible characters are written as escapes. All output passes through here. */
export function escapingTerminal(terminal: Terminal): Terminal {
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
