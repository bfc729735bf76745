import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** What an entry costs beside its value: its digest and its place. */
const ENTRY_BYTES = 256;

export interface RememberedOptions<Value> {
  /** Of all values, as `sizeOf` estimates them. */
  readonly maxBytes: number;
  readonly sizeOf: (value: Value) => number;
}

/**
 * Values by the texts that they were made of, of which only digests are kept: whoever writes long texts, or many, costs
 * the process no more than `maxBytes`. What was not used for longest makes room.
 */
export class Remembered<Value extends object> {
  readonly #values: LRUCache<string, Value>;

  constructor({ maxBytes, sizeOf }: RememberedOptions<Value>) {
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

  /** What is remembered, in bytes. */
  get bytes(): number {
    return this.#values.calculatedSize;
  }

  get size(): number {
    return this.#values.size;
  }
}

const digestOf = (text: string) => hash('sha256', text, 'base64');
