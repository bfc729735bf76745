import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { readStack } from './stack.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMMAND = ['deploy/commands/bootstrap.mjs', 'drill'];
const LARGEST_OUTPUT = 4 * 1024 * 1024;

/** The result of a drill. */
export interface Drilled {
  readonly held: boolean;
  readonly findings: readonly { readonly promise: string; readonly held: boolean; readonly seen: string }[];
  /** The drill's progress output, to explain a failed finding. */
  readonly progress: string;
}

/**
 * Runs the short form of a drill to completion, as an operator does. The drill has a separate stack, with TLS between
 * the parts if the stack under test has it.
 */
export function drill(
  name: 'restore' | 'upgrade' | 'faults',
  withinMs: number,
  ...flags: string[]
): Promise<Drilled> {
  const secure = readStack().tls ? ['--secure'] : [];
  const args = [...COMMAND, name, '--short', '--json', '--state', '.run/test-drill', ...secure, ...flags];
  const options = { cwd: ROOT, timeout: withinMs, maxBuffer: LARGEST_OUTPUT };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, options, (_error, out, progress) => {
      try {
        resolve({ ...(JSON.parse(out) as Omit<Drilled, 'progress'>), progress });
      } catch {
        reject(new Error(`the drill did not complete: ${out} ${progress}`));
      }
    });
  });
}

/** Returns the findings that failed, with what was observed; empty if the drill passed. */
export const broken = ({ findings }: Drilled): string[] =>
  findings.filter(({ held }) => !held).map(({ promise, seen }) => `${promise}: ${seen}`);
