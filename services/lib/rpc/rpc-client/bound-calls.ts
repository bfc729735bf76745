import { Code, ConnectError, type Interceptor } from '@connectrpc/connect';

export interface CallBounds {
  /** Maximum number of calls in flight. */
  readonly maxConcurrent: number;
  /** Maximum number of queued calls. */
  readonly maxWaiting: number;
  /** Maximum time in the queue. */
  readonly maxWaitMs: number;
}

/** Limits the calls of a client, queued in order; calls beyond the limits are UNAVAILABLE. */
export function boundCalls(bounds: CallBounds): Interceptor {
  return inSlots(new Slots(bounds));
}

/** Makes each call hold a slot. */
export function inSlots(slots: Slots): Interceptor {
  return (next) => async (request) => {
    await slots.take(request.signal);
    try {
      return await next(request);
    } finally {
      slots.release();
    }
  };
}

/** Slots that calls take in order. */
export class Slots {
  readonly #bounds: CallBounds;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(bounds: CallBounds) {
    this.#bounds = bounds;
    this.#free = bounds.maxConcurrent;
  }

  /** Resolves when a slot is free. Rejects when too many wait, or when `signal` is aborted. */
  async take(signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw cancelled(signal);
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { maxWaiting, maxWaitMs } = this.#bounds;
    if (this.#waiting.size >= maxWaiting) throw tooMany();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    // A slot that is released in the same tick must not go to a call that has given up.
    const giveUp = (error: ConnectError) => {
      this.#waiting.delete(resolve);
      reject(error);
    };
    const tooLong = setTimeout(() => giveUp(tooMany()), maxWaitMs);
    const cancel = () => giveUp(cancelled(signal));
    signal?.addEventListener('abort', cancel, { once: true });
    this.#waiting.add(resolve);
    try {
      await promise;
    } finally {
      clearTimeout(tooLong);
      signal?.removeEventListener('abort', cancel);
    }
  }

  release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#free += 1;
  }
}

const tooMany = () => new ConnectError('too many calls are waiting for the called service', Code.Unavailable);

const cancelled = (signal?: AbortSignal) => ConnectError.from(signal?.reason, Code.Canceled);
