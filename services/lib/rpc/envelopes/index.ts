/** Each message of a Connect stream starts with a flag byte and a four-byte length. */
const HEAD_BYTES = 5;
const IS_END = 0b10;

/** Wraps a message of a stream, uncompressed. */
export function inEnvelope(message: Uint8Array, isEnd = false): Buffer {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + message.byteLength);
  bytes.writeUInt8(isEnd ? IS_END : 0, 0);
  bytes.writeUInt32BE(message.byteLength, 1);
  bytes.set(message, HEAD_BYTES);
  return bytes;
}

/** Reads the messages of an uncompressed stream from chunks of any size; the last is JSON about its end. */
export class EnvelopeReader {
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Yields the messages that these bytes complete. Throws if one is compressed or larger than `maxBytes`. */
  *read(bytes: Buffer) {
    this.#rest = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.byteLength >= HEAD_BYTES) {
      const flags = this.#rest.readUInt8(0);
      if ((flags & ~IS_END) !== 0) throw new Error('a message has an unknown flag');
      const length = this.#rest.readUInt32BE(1);
      if (length > this.#maxBytes) throw new Error('a message is larger than allowed');
      const end = HEAD_BYTES + length;
      if (this.#rest.byteLength < end) return;
      const message = this.#rest.subarray(HEAD_BYTES, end);
      this.#rest = this.#rest.subarray(end);
      yield { isEnd: flags !== 0, message };
    }
  }
}
