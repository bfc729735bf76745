import { type Terminal, visiblyWriting } from '../src/output/terminal.ts';
import type { Surroundings } from '../src/session.ts';

/** Returns surroundings that reach no environment, and the output written to them. */
export function testSurroundings(settings: Partial<Surroundings['settings']> = {}): {
  readonly surroundings: Surroundings;
  readonly said: string[];
  readonly noted: string[];
} {
  const [said, noted]: [string[], string[]] = [[], []];
  const terminal: Terminal = visiblyWriting({
    width: undefined,
    noteWidth: undefined,
    interactive: false,
    say: (line) => void said.push(`${line}\n`),
    lines: (lines) => void said.push(...lines.map((line) => `${line}\n`)),
    write: (text) => void said.push(text),
    raw: (text) => void said.push(text),
    flushed: async (text) => void said.push(text),
    note: (line) => void noted.push(line),
    ask: async () => '',
  });
  const surroundings: Surroundings = {
    settings: {
      stackFile: undefined,
      context: 'nowhere',
      token: undefined,
      folder: '/nonexistent/sss',
      ...settings,
    },
    terminal,
    now: () => new Date('2026-11-22T08:00:00Z'),
    signal: new AbortController().signal,
    sleep: async () => {},
  };
  return { surroundings, said, noted };
}
