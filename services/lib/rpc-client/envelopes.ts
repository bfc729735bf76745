/** A flag byte and four of length come before each message of a stream of Connect's protocol. */
const HEAD_BYTES = 5;
const IS_END = 0b10;

/** A message as the only one of a stream's request. */
export function inEnvelope(message: Uint8Array): Uint8Array {
  const bytes = Buffer.allocUnsafe(HEAD_BYTES + message.byteLength);
  bytes.writeUInt8(0, 0);
  bytes.writeUInt32BE(message.byteLength, 1);
  bytes.set(message, HEAD_BYTES);
  return bytes;
}

/** A message of a stream; the last one says in JSON how the stream ended. */
export interface Envelope {
  readonly isEnd: boolean;
  readonly message: Uint8Array;
}

/** Reads the messages of an uncompressed stream from its bytes, however they are cut. */
export class EnvelopeReader {
  readonly #maxBytes: number;
  #rest: Buffer = Buffer.alloc(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** The messages that these bytes complete. Throws for one that is larger than `maxBytes`. */
  *read(bytes: Buffer): Generator<Envelope> {
    this.#rest = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    while (this.#rest.byteLength >= HEAD_BYTES) {
      const length = this.#rest.readUInt32BE(1);
      if (length > this.#maxBytes) throw new Error('a message is larger than allowed');
      const end = HEAD_BYTES + length;
      if (this.#rest.byteLength < end) return;
      const isEnd = (this.#rest.readUInt8(0) & IS_END) !== 0;
      const message = this.#rest.subarray(HEAD_BYTES, end);
      this.#rest = this.#rest.subarray(end);
      yield { isEnd, message };
    }
  }
}
