import { escapingTerminal, type Terminal } from '../src/output/terminal.ts';
import type { Runtime } from '../src/session.ts';

/** Returns surroundings that reach no environment, and the output written to them. */
export function testRuntime(settings: Partial<Runtime['settings']> = {}): {
  readonly runtime: Runtime;
  readonly stdout: string[];
  readonly stderr: string[];
} {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const terminal: Terminal = escapingTerminal({
    isTerminal: false,
    width: 80,
    noteWidth: 80,
    interactive: false,
    say: (line) => void stdout.push(`${line}\n`),
    lines: (lines) => void stdout.push(...lines.map((line) => `${line}\n`)),
    write: (text) => void stdout.push(text),
    raw: (text) => void stdout.push(text),
    flushed: async (text) => void stdout.push(text),
    note: (line) => void stderr.push(line),
    ask: async () => '',
  });
  const runtime: Runtime = {
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
  return { runtime, stdout, stderr };
}
