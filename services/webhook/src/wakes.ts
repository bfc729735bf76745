import type { EndpointId } from '@supplier/lib/ids';

/** Who is woken by new work. */
export interface WakeTargets {
  /** Events were committed to the outbox. */
  relay(): void;
  /** The endpoint may have something due. */
  delivery(endpointId: EndpointId): void;
}

/** Says that there is new work: whoever does it looks at once, and not at its next poll. */
export interface Wakes extends WakeTargets {
  /** Names who is woken from now on. */
  connect(targets: Partial<WakeTargets>): void;
}

/** Wakes nobody until it is connected: workers are started after the operations that wake them are built. */
export function makeWakes(): Wakes {
  let targets: Partial<WakeTargets> = {};
  return {
    relay: () => targets.relay?.(),
    delivery: (endpointId) => targets.delivery?.(endpointId),
    connect(connected) {
      targets = { ...targets, ...connected };
    },
  };
}
