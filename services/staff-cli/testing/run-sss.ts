import { CommandFailure } from '../src/exit-codes.ts';
import { buildProgram } from '../src/program.ts';
import type { Surroundings } from '../src/session.ts';
import type { Ended } from './played-services.ts';
import { testSurroundings } from './test-surroundings.ts';

/** Runs a command with these settings, without a terminal. */
export async function runSss(
  settings: Partial<Surroundings['settings']>,
  args: readonly string[],
  signal?: AbortSignal,
): Promise<Ended> {
  const { surroundings, said, noted } = testSurroundings({ context: undefined, ...settings });
  const program = buildProgram({ ...surroundings, ...(signal && { signal }) });
  let code = 0;
  try {
    await program.parseAsync([...args], { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    code = error.exitCode;
    noted.push(error.message, ...error.details);
  }
  return { code, said: said.join(''), noted: noted.join('\n') };
}
