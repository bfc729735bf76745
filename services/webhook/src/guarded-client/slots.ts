import type { EndpointId } from '@supplier/lib/ids';
import { makeSlot, type Open, type Slot } from './slot.ts';

/** After this long without an attempt, in milliseconds, nothing of an endpoint's connections is kept. */
const IDLE_MS = 60_000;

interface Idle {
  readonly slots: Slot[];
  usedAt: number;
}

/** The kept-alive connections of all endpoints. No two endpoints share one, not even on the same host. */
export interface Slots {
  /** A slot for the endpoint's current URL, the one used last if there is a choice. It is the caller's until given back. */
  take(endpointId: EndpointId, url: URL): Slot;
  /** Gives a slot back whose connection may be used again. */
  giveBack(endpointId: EndpointId, url: URL, slot: Slot): void;
  /** Ends connections that have not been used for a minute. */
  prune(): void;
  /** Ends all idle connections. */
  close(): void;
}

/** `perEndpoint` bounds the idle connections of one endpoint; those in use are bounded by whoever takes them. */
export function connectionSlots(open: Open, perEndpoint: number): Slots {
  const idle = new Map<string, Idle>();
  // An endpoint whose URL has changed finds none of its old connections.
  const keyOf = (endpointId: EndpointId, url: URL) => `${endpointId} ${url.origin}`;

  function drop(key: string): void {
    for (const slot of idle.get(key)?.slots ?? []) slot.destroy();
    idle.delete(key);
  }

  return {
    take: (endpointId, url) => idle.get(keyOf(endpointId, url))?.slots.pop() ?? makeSlot(url, open),
    giveBack(endpointId, url, slot) {
      const key = keyOf(endpointId, url);
      const known = idle.get(key) ?? { slots: [], usedAt: 0 };
      idle.set(key, known);
      known.usedAt = performance.now();
      if (known.slots.length < perEndpoint) known.slots.push(slot);
      else slot.destroy();
    },
    prune() {
      const oldest = performance.now() - IDLE_MS;
      for (const [key, { usedAt }] of idle) if (usedAt < oldest) drop(key);
    },
    close() {
      for (const key of [...idle.keys()]) drop(key);
    },
  };
}
