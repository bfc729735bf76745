import { Worker } from 'node:worker_threads';

/** How long nothing may be heard. */
const EVERY_MS = 10_000;

/** Says what is being done, with the time since the start, again at least every ten seconds. */
export interface Narrator {
  /** What is done from now on. Work that blocks this thread is heard of, too. */
  now(what: string): void;
  /** A line of its own, in order with the others. */
  say(line: string): void;
  /** Nothing is done now: nothing is said until the next. */
  pause(): void;
  close(): Promise<void>;
}

/** Writes to a file descriptor: 1 is standard output. `begunMs` is the start by the clock, for a process that goes on for another. */
export function openNarrator(
  descriptor: 1 | 2,
  { begunMs = Date.now(), everyMs = EVERY_MS }: { readonly begunMs?: number; readonly everyMs?: number } = {},
): Narrator {
  // A thread of its own: images are built by calls that block.
  const worker = new Worker(THREAD, {
    eval: true,
    execArgv: [],
    workerData: { descriptor, begunMs, everyMs },
  });
  worker.unref();
  return {
    now: (what) => worker.postMessage({ what }),
    say: (line) => worker.postMessage({ line }),
    pause: () => worker.postMessage({}),
    async close() {
      const gone = new Promise((resolve) => worker.once('exit', resolve));
      worker.ref();
      worker.postMessage('close');
      await gone;
    },
  };
}

const THREAD = `
const { writeSync } = require('node:fs');
const { parentPort, workerData: { descriptor, begunMs, everyMs } } = require('node:worker_threads');
let what;
let since = 0;
let timer;
const clock = () => {
  const seconds = Math.floor((Date.now() - begunMs) / 1000);
  return String(Math.floor(seconds / 60)).padStart(3) + ':' + String(seconds % 60).padStart(2, '0');
};
const write = (line) => {
  try {
    writeSync(descriptor, line + '\\n');
  } catch {}
};
const again = () => {
  clearInterval(timer);
  if (what !== undefined)
    timer = setInterval(() => write(clock() + ' … ' + what + ', for ' + Math.round((Date.now() - since) / 1000) + ' s'), everyMs);
};
parentPort.on('message', (message) => {
  if (message === 'close') {
    clearInterval(timer);
    parentPort.close();
    return;
  }
  if (message.line !== undefined) write(message.line);
  else {
    what = message.what;
    since = Date.now();
    if (what !== undefined) write(clock() + ' ' + what + ' …');
  }
  again();
});
`;
