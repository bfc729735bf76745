import { type ChildProcess, spawn } from 'node:child_process';
import { writeSync } from 'node:fs';

/** Reports the current step with the elapsed time, and repeats it at least every ten seconds. */
export interface Narrator {
  /** Sets the current step. */
  now(what: string): void;
  say(line: string): void;
  /** Stops repeating. */
  pause(): void;
}

/** A separate process, so that it repeats even while this thread is blocked. It ends when its input ends. */
const REPEATER = `
const [what, begunMs, everyMs] = process.argv.slice(1);
const start = Date.now();
setInterval(() => {
  const seconds = Math.floor((Date.now() - begunMs) / 1000);
  const clock = String(Math.floor(seconds / 60)).padStart(3) + ':' + String(seconds % 60).padStart(2, '0');
  console.log(clock + ' … ' + what + ', for ' + Math.round((Date.now() - start) / 1000) + ' s');
}, everyMs);
process.stdin.resume().on('end', () => process.exit());`;

/** Writes to stdout. `startedMs` is the start time, for a process that continues the work of another. */
export function openNarrator({
  startedMs = Date.now(),
  everyMs = 10_000,
}: {
  readonly startedMs?: number;
  readonly everyMs?: number;
} = {}): Narrator {
  let repeater: ChildProcess | undefined;
  const say = (line: string) => void writeSync(1, `${line}\n`);
  const pause = () => {
    repeater?.kill();
    repeater = undefined;
  };
  return {
    say,
    pause,
    now(what) {
      pause();
      const seconds = Math.floor((Date.now() - startedMs) / 1_000);
      const clock = `${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')}`;
      say(`${clock} ${what} …`);
      repeater = spawn(process.execPath, ['-e', REPEATER, what, String(startedMs), String(everyMs)], {
        stdio: ['pipe', 1, 'ignore'],
      });
      repeater.unref();
    },
  };
}
