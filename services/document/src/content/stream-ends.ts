/** Collects the first and last bytes of a stream and its size, without buffering the bytes in between. */
export interface StreamEnds {
  take(chunk: Uint8Array): void;
  head(): Uint8Array;
  tail(): Uint8Array;
  size(): number;
}

/** Decides whether a stream matches its declared type. Each stream needs a new rule. */
export interface ContentRule {
  readonly headBytes: number;
  readonly tailBytes: number;
  /** Receives every byte. */
  readonly look?: (chunk: Uint8Array) => void;
  /** Throws ContentRefused when the stream does not match. */
  readonly check: (ends: StreamEnds) => Promise<void> | void;
}

/** Buffers at most `headBytes`, and `tailBytes` plus one chunk. */
export function streamEnds(headBytes: number, tailBytes: number): StreamEnds {
  const first: Uint8Array[] = [];
  const last: Uint8Array[] = [];
  let firstBytes = 0;
  let lastBytes = 0;
  let size = 0;
  return {
    take(chunk) {
      size += chunk.length;
      if (firstBytes < headBytes) {
        const part = chunk.subarray(0, headBytes - firstBytes);
        first.push(part);
        firstBytes += part.length;
      }
      last.push(chunk);
      lastBytes += chunk.length;
      for (let oldest = last[0]; oldest && lastBytes - oldest.length >= tailBytes; oldest = last[0]) {
        last.shift();
        lastBytes -= oldest.length;
      }
    },
    head: () => Buffer.concat(first),
    tail: () => Buffer.concat(last).subarray(-tailBytes),
    size: () => size,
  };
}
