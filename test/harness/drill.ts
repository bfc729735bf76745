import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readStack } from './stack.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMMAND = ['deploy/commands/bootstrap.mjs', 'drill'];
const LARGEST_OUTPUT = 4 * 1024 * 1024;

/** What a drill says at its end. */
export interface Drilled {
  readonly held: boolean;
  readonly findings: readonly { readonly promise: string; readonly held: boolean; readonly seen: string }[];
  /** What it said on its way, to show why something did not hold. */
  readonly progress: string;
}

/**
 * Runs a drill to its end as an operator does, in its short form: on a stack of its own, beside the one under test, and
 * like that with TLS between the parts or without.
 */
export function drill(name: 'restore' | 'upgrade', withinMs: number): Promise<Drilled> {
  const secure = readStack().tls ? ['--secure'] : [];
  const args = [...COMMAND, name, '--short', '--json', '--state', '.run/test-drill', ...secure];
  const options = { cwd: ROOT, timeout: withinMs, maxBuffer: LARGEST_OUTPUT };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (_error, out, progress) => {
      try {
        resolve({ ...(JSON.parse(out) as Omit<Drilled, 'progress'>), progress });
      } catch {
        reject(new Error(`the drill did not come to its end: ${out} ${progress}`));
      }
    });
  });
}

/** What did not hold, with what was seen; nothing where the drill was a good one. */
export const broken = ({ findings }: Drilled): string[] =>
  findings.filter(({ held }) => !held).map(({ promise, seen }) => `${promise}: ${seen}`);
