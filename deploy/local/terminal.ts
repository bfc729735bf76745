export interface Terminal {
  say(line: string): void;
  warn(line: string): void;
}

export const terminal: Terminal = {
  say: (line) => void process.stdout.write(`${line}\n`),
  warn: (line) => void process.stderr.write(`${line}\n`),
};

/** Formats as `840 ms` or `12.3 s`. */
export function formatDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** An error reported to the user in one line, without a stack trace. */
export class CannotStart extends Error {
  override readonly name = 'CannotStart';
}

/** Returns the message of anything thrown. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join('; ');
  return error instanceof Error ? error.message : String(error);
}

/** Runs a command. An error ends the process with exit code 1 and one line. */
export async function runCommand(work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    console.error(reasonOf(error));
    process.exitCode = 1;
  }
}
