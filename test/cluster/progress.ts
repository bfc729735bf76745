import { writeSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { formatDuration } from '../../deploy/local/terminal.ts';

/** The observations of a step, by name. */
export type Facts = Readonly<Record<string, string | number>>;

/** A separate thread, so that it repeats even while the main one is blocked. */
const REPEATER = `
const { what, everyMs } = require('node:worker_threads').workerData;
const began = Date.now();
setInterval(() => {
  const seconds = Math.round((Date.now() - began) / 1000);
  require('node:fs').writeSync(1, what + ' … for ' + seconds + ' s\\n');
}, everyMs);`;

let repeater: Worker | undefined;

export const say = (line: string): void => void writeSync(1, `${line}\n`);

/** Prints what happens now, and repeats it at least every ten seconds until the next call, or until `pause`. */
export function now(what: string, everyMs = 10_000): void {
  pause();
  say(`${what} …`);
  repeater = new Worker(REPEATER, { eval: true, execArgv: [], workerData: { what, everyMs } });
  repeater.unref();
}

export function pause(): void {
  void repeater?.terminate();
  repeater = undefined;
}

/** Runs a step, and prints how long it took and its facts. Rejects as `work` does. */
export async function step(name: string, work: () => Promise<Facts> | Promise<void>): Promise<void> {
  const startedAt = performance.now();
  const report = (mark: string) => {
    pause();
    say(`${mark} ${name.padEnd(72)} ${formatDuration(performance.now() - startedAt).padStart(8)}`);
  };
  now(name);
  try {
    const facts = (await work()) ?? {};
    report('✓');
    for (const [what, value] of Object.entries(facts)) say(`    ${what.padEnd(28)} ${value}`);
  } catch (error) {
    report('✗');
    throw error;
  }
}
