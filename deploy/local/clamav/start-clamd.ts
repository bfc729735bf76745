import { join } from 'node:path';
import type { StateFolder } from '../state/state-folder.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { Terminal } from '../terminal.ts';
import { findClamd } from './find-clamd.ts';
import { clamdProgram } from './program.ts';
import { describeSignatures, prepareSignatures } from './signatures.ts';

/**
 * Starts the clamd of this machine, and says which signatures it has. Resolves to false, and says so, where none is
 * installed: nothing is called clean unscanned, so documents wait there.
 */
export async function startClamd(
  { state, supervisor, terminal }: { state: StateFolder; supervisor: Supervisor; terminal: Terminal },
  port: number,
  find = findClamd,
): Promise<boolean> {
  const clamd = find();
  if (clamd === undefined) {
    terminal.say('clamd is not installed (apt-get install clamav-daemon): documents stay pending_scan');
    return false;
  }
  const signatures = prepareSignatures(join(state.clamav, 'signatures'));
  await supervisor.start(clamdProgram(clamd, state, signatures, port));
  terminal.say(`clamd from ${clamd} with signatures: ${describeSignatures(signatures)}`);
  return true;
}
