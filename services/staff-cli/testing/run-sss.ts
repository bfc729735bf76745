import { CommandFailure } from '../src/exit-codes.ts';
import { buildProgram } from '../src/program.ts';
import type { Runtime } from '../src/session.ts';
import type { RunResult } from './fake-services.ts';
import { testRuntime } from './test-runtime.ts';

/** Runs a command with these settings, without a terminal. */
export async function runSss(
  settings: Partial<Runtime['settings']>,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<RunResult> {
  const { runtime, stdout, stderr } = testRuntime({ context: undefined, ...settings });
  const program = buildProgram({ ...runtime, ...(signal && { signal }) });
  let code = 0;
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    code = error.exitCode;
    stderr.push(error.message, ...error.details);
  }
  return { code, stdout: stdout.join(''), stderr: stderr.join('\n') };
}
