import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { AskName, FromThread, ThreadAsks } from './thread-asks.ts';

/** Its source is in this folder; in a bundle, everything is in one folder. */
const PROGRAM = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? './policy-program.ts' : './policy-program.mjs', import.meta.url),
);
/** Far more than the largest policy takes. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16, stackSizeMb: 4 };

export interface ThreadBounds {
  /** Processor time of the thread for one ask, so that a busy machine does not make it fail. */
  readonly cpuMs: number;
  /** Wall-clock time for one ask. */
  readonly answerMs: number;
  /** How long the thread may take to start. */
  readonly startMs: number;
}

const THREAD_BOUNDS: ThreadBounds = { cpuMs: 250, answerMs: 2_500, startMs: 20_000 };

/** An ask took too long or too much memory; the thread has ended. */
export class PolicyLimitExceeded extends Error {
  override readonly name = 'PolicyLimitExceeded';
}

/**
 * A thread that compiles and tries the policies that people send. It shares nothing with the process but messages, has
 * no environment, and is ended when an ask takes too long or too much memory. One ask at a time.
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
    // Nobody may be waiting when it ends.
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

  /** Whether it has ended. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Throws PolicyLimitExceeded, or what the thread threw. The thread cannot be used after either. */
  async ask<Name extends AskName>(
    name: Name,
    ask: ThreadAsks[Name]['ask'],
  ): Promise<ThreadAsks[Name]['answer']> {
    if (this.#answer) throw new Error('invariant violated: two asks at a time of one policy thread');
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

  /** Ends the thread, whatever it is doing. */
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
      // The next check comes no sooner than its processor time can have grown by a tick.
      left = cpuMs - (user + system) / 1_000;
      if (left > 0) left = Math.max(left, 10);
    }
    throw new PolicyLimitExceeded('processor time');
  }

  /** Its processor time since `before`. If the thread has ended, rejects with why. */
  #cpuUsage(before?: NodeJS.CpuUsage): Promise<NodeJS.CpuUsage> {
    return this.#worker.cpuUsage(before).catch(() => this.#end.promise);
  }
}

async function late(ms: number, signal: AbortSignal, what: string): Promise<never> {
  await pause(ms, undefined, { signal, ref: false });
  throw new PolicyLimitExceeded(what);
}
