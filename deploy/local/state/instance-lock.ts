import { CannotStart } from '../terminal.ts';
import { takeLockFile } from './lock-file.mjs';

/** Makes this process the only stack on a state folder, and returns the release. Throws CannotStart when another stack runs there. */
export function takeInstanceLock(path: string, statePath: string): () => void {
  const attempt = takeLockFile(path);
  if ('release' in attempt) return attempt.release;
  const who = attempt.owner ? ` (process ${attempt.owner.pid})` : '';
  throw new CannotStart(`a stack is already running on ${statePath}${who}: stop it first`);
}
