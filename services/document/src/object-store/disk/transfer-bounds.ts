import type { Socket } from 'node:net';

/** Limits on the number of concurrent transfers and their minimum speed. */
export interface TransferBounds {
  /** All transfers; each uses about 256 KiB of memory. */
  readonly maxTransfers: number;
  /** Uploads by one URL: the one that a client abandoned may still be open when it retries. */
  readonly maxOfKey: number;
  /** Uploads of one account. */
  readonly maxOfOwner: number;
  /** Transfers from one address. */
  readonly maxOfAddress: number;
  /** Minimum average rate in each window of that length; a slower transfer is cut. */
  readonly minBytesPerSecond: number;
  readonly windowMs: number;
}

export const TRANSFER_BOUNDS: TransferBounds = {
  maxTransfers: 128,
  maxOfKey: 2,
  maxOfOwner: 64,
  maxOfAddress: 64,
  minBytesPerSecond: 4_096,
  windowMs: 15_000,
};

/** Counts transfers in progress by name: an address, an owner or a key. */
export interface Places {
  /** Takes a place and returns a function that releases it; undefined when all places of that name are taken. */
  take(name: string, max: number): (() => void) | undefined;
}

export function places(): Places {
  const taken = new Map<string, number>();
  return {
    take(name, max) {
      const count = taken.get(name) ?? 0;
      if (count >= max) return undefined;
      taken.set(name, count + 1);
      return () => {
        const left = (taken.get(name) ?? 1) - 1;
        if (left > 0) taken.set(name, left);
        else taken.delete(name);
      };
    },
  };
}

/** Cuts a connection that moves too little, until the returned function is called. */
export function cutWhenSlow(
  socket: Socket,
  { minBytesPerSecond, windowMs }: Pick<TransferBounds, 'minBytesPerSecond' | 'windowMs'>,
): () => void {
  const moved = () => socket.bytesRead + socket.bytesWritten;
  let before = moved();
  const timer = setInterval(() => {
    const now = moved();
    if (now - before < (minBytesPerSecond * windowMs) / 1_000) socket.destroy();
    before = now;
  }, windowMs);
  return () => clearInterval(timer);
}
