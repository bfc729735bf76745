import { pino } from 'pino';

/** Limits on how long a line waits, and on how many bytes wait. */
const MAX_WAIT_MS = 20;
const MAX_WAITING_BYTES = 8_192;
/** Pino's number for `warn`: from this level on, a line may be among a process's last. */
const WARN = 40;

interface Output {
  write(line: string): void;
  flushSync(): void;
}

/**
 * Returns buffered standard output: `debug` and `info` lines wait up to 20 ms for others. Warnings, errors and the end
 * of the process write everything at once. Written lines survive the process.
 */
export function standardOutput(): Output {
  const output = pino.destination({ fd: 1, sync: true, minLength: MAX_WAITING_BYTES });
  let waiting: NodeJS.Timeout | undefined;

  function flush(): void {
    clearTimeout(waiting);
    waiting = undefined;
    // Not `flushSync`, which waits forever for a reader that has gone, and for the disk. This one is synchronous too.
    output.flush();
  }
  process.on('exit', flush);

  return {
    // Makes pino set `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line: string): void {
      output.write(line);
      if (this.lastLevel >= WARN) flush();
      else waiting ??= setTimeout(flush, MAX_WAIT_MS).unref();
    },
    flushSync: flush,
  } as Output & { lastLevel: number };
}
