import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { FromThread, RequestName, ThreadRequests } from './thread-requests.ts';

/** The source is in this folder; a bundle puts everything in one folder. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './policy-program.ts' : './policy-program.mjs', import.meta.url),
);
/** Far more than the largest policy needs. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface ThreadBounds {
  /** Processor time of the thread for one request, so that a busy machine does not make it fail. */
  readonly cpuMs: number;
  /** Wall-clock time for one request. */
  readonly answerMs: number;
  /** Maximum time for the thread to start. */
  readonly startMs: number;
}

const THREAD_BOUNDS: ThreadBounds = { cpuMs: 250, answerMs: 2_500, startMs: 20_000 };

/** A request took too long or used too much memory; the thread has ended. */
export class PolicyLimitExceeded extends Error {
  override readonly name = 'PolicyLimitExceeded';
}

/**
 * Runs a thread that compiles and tries policies sent by operators. It shares only messages with the process, has no
 * environment, and is terminated when a request takes too long or uses too much memory. One request at a time.
 */
export class PolicyThread {
  readonly #worker: Worker;
  readonly #bounds: ThreadBounds;
  readonly #listening: Promise<void>;
  readonly #end = Promise.withResolvers<never>();
  #answer: ((answer: unknown) => void) | undefined;
  #ended = false;

  constructor({
    bounds = {},
    program = PROGRAM,
  }: { bounds?: Partial<ThreadBounds>; program?: string | URL } = {}) {
    this.#bounds = { ...THREAD_BOUNDS, ...bounds };
    const listening = Promise.withResolvers<void>();
    this.#listening = listening.promise;
    this.#worker = new Worker(program, { env: {}, execArgv: [], resourceLimits: MEMORY });
    // There may be no request waiting when it ends.
    this.#end.promise.catch(() => {});
    this.#worker.on('message', (message: FromThread) => {
      if (message === 'listening') listening.resolve();
      else this.#answer?.(message.answer);
    });
    this.#worker.on('error', (error: Error & { code?: unknown }) =>
      this.#end.reject(
        error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new PolicyLimitExceeded('out of memory') : error,
      ),
    );
    this.#worker.on('exit', () => {
      this.#ended = true;
      this.#end.reject(new Error('policy thread ended'));
    });
    this.#worker.unref();
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Sends a request. Throws PolicyLimitExceeded, or the thread's error; the thread cannot be used afterwards. */
  async ask<Name extends RequestName>(
    name: Name,
    ask: ThreadRequests[Name]['ask'],
  ): Promise<ThreadRequests[Name]['answer']> {
    if (this.#answer) throw new Error('invariant violated: two concurrent requests to one policy thread');
    const over = new AbortController();
    const { promise, resolve } = Promise.withResolvers<unknown>();
    this.#answer = resolve;
    try {
      const { startMs } = this.#bounds;
      await Promise.race([this.#listening, this.#end.promise, late(startMs, over.signal, 'did not start')]);
      const before = await this.#cpuUsage();
      this.#worker.postMessage({ name, ask });
      return (await Promise.race([promise, this.#end.promise, this.#heldOn(before, over.signal)])) as never;
    } catch (error) {
      void this.close();
      throw error;
    } finally {
      over.abort();
      this.#answer = undefined;
    }
  }

  /** Terminates the thread, even during a request. */
  async close(): Promise<void> {
    this.#ended = true;
    this.#end.reject(new Error('policy thread closed'));
    await this.#worker.terminate();
  }

  async #heldOn(before: NodeJS.CpuUsage, signal: AbortSignal): Promise<never> {
    const { cpuMs, answerMs } = this.#bounds;
    const giveUp = late(answerMs, signal, 'took too long');
    giveUp.catch(() => {});
    for (let left = cpuMs; left > 0; ) {
      await Promise.race([pause(left, undefined, { signal }), giveUp]);
      const { user, system } = await Promise.race([this.#cpuUsage(before), giveUp]);
      // Waits at least until the processor time can have grown by one tick.
      left = cpuMs - (user + system) / 1_000;
      if (left > 0) left = Math.max(left, 10);
    }
    throw new PolicyLimitExceeded('processor time');
  }

  /** Returns its processor time since `before`. If the thread has ended, rejects with the reason. */
  #cpuUsage(before?: NodeJS.CpuUsage): Promise<NodeJS.CpuUsage> {
    return this.#worker.cpuUsage(before).catch(() => this.#end.promise);
  }
}

async function late(ms: number, signal: AbortSignal, what: string): Promise<never> {
  await pause(ms, undefined, { signal, ref: false });
  throw new PolicyLimitExceeded(what);
}
