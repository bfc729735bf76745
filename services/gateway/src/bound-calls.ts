import type { DescService } from '@bufbuild/protobuf';
import { type CallOptions, type Client, Code, ConnectError } from '@connectrpc/connect';

type Call = (request: never, options?: CallOptions) => Promise<unknown>;

export interface CallBounds {
  readonly maxConcurrent: number;
  /** Maximum number of queued calls. */
  readonly maxWaiting: number;
  /** Maximum time in the queue. */
  readonly maxWaitMs: number;
}

/**
 * Limits the calls of a client; calls beyond the limits are UNAVAILABLE. Calls are queued in order. Unary calls only.
 */
export function boundCalls<Service extends DescService>(
  service: Service,
  client: Client<Service>,
  bounds: CallBounds,
): Client<Service> {
  const plain = client as Record<string, Call>;
  const bounded: Record<string, Call> = {};
  const places = new Places(bounds);
  for (const { localName } of service.methods) {
    const call = plain[localName];
    if (!call) continue;
    bounded[localName] = async (request, options) => {
      await places.take();
      try {
        return await call(request, options);
      } finally {
        places.release();
      }
    };
  }
  return bounded as Client<Service>;
}

class Places {
  readonly #bounds: CallBounds;
  readonly #waiting = new Set<() => void>();
  #free: number;

  constructor(bounds: CallBounds) {
    this.#bounds = bounds;
    this.#free = bounds.maxConcurrent;
  }

  async take(): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    const { maxWaiting, maxWaitMs } = this.#bounds;
    if (this.#waiting.size >= maxWaiting) throw tooMany();
    await new Promise<void>((resolve, reject) => {
      const goOn = () => {
        clearTimeout(tooLong);
        resolve();
      };
      const tooLong = setTimeout(() => {
        this.#waiting.delete(goOn);
        reject(tooMany());
      }, maxWaitMs);
      this.#waiting.add(goOn);
    });
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

const tooMany = () => new ConnectError('too many calls in progress', Code.Unavailable);
