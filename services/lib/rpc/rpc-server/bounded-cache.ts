import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Overhead of an entry: its digest and its slot. */
const ENTRY_BYTES = 256;

export interface BoundedCacheOptions<Value> {
  /** Limit for all values together, as `sizeOf` estimates them. */
  readonly maxBytes: number;
  readonly sizeOf: (value: Value) => number;
}

/**
 * A cache keyed by text that stores only digests of the keys, so that many or long texts cost the process no more than
 * `maxBytes`. Evicts the least recently used values.
 */
export class BoundedCache<Value extends object> {
  readonly #values: LRUCache<string, Value>;

  constructor({ maxBytes, sizeOf }: BoundedCacheOptions<Value>) {
    this.#values = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: (value) => ENTRY_BYTES + Math.ceil(sizeOf(value)),
    });
  }

  get(text: string): Value | undefined {
    return this.#values.get(digestOf(text));
  }

  set(text: string, value: Value): void {
    this.#values.set(digestOf(text), value);
  }

  /** Estimated size of the cache, in bytes. */
  get bytes(): number {
    return this.#values.calculatedSize;
  }

  get size(): number {
    return this.#values.size;
  }
}

const digestOf = (text: string) => hash('sha256', text, 'base64');
