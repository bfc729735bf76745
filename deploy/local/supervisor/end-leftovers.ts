import { isRunning, type ProcessIdentity } from '../state/lock-file.mjs';
import { readJsonIfPresent } from '../state/private-file.ts';
import { waitUntil } from '../wait-until.ts';

const PATIENCE_MS = 8_000;

/** Ends the processes that a killed stack left running, and returns their names. */
export async function endLeftovers(processRecord: string): Promise<string[]> {
  const recorded = (readJsonIfPresent(processRecord) ?? {}) as Record<string, ProcessIdentity>;
  const leftovers = Object.entries(recorded).filter(([, identity]) => isRunning(identity));
  await Promise.all(leftovers.map(([, identity]) => end(identity)));
  return leftovers.map(([name]) => name);
}

async function end(identity: ProcessIdentity): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown; SIGTERM would make it wait for its clients. Services take either.
  signal(identity, 'SIGINT');
  const gone = () => !isRunning(identity) || undefined;
  if (await waitUntil(gone, { withinMs: PATIENCE_MS, everyMs: 50 })) return;
  signal(identity, 'SIGKILL');
  await waitUntil(gone, { withinMs: PATIENCE_MS, everyMs: 50 });
}

function signal({ pid }: ProcessIdentity, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // The process has ended in the meantime.
  }
}
