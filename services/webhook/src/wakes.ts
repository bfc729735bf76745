import type { EndpointId } from '@supplier/lib/ids';

/** What is woken by new work. */
export interface WakeTargets {
  /** Events were committed to the outbox. */
  relay(): void;
  /** The endpoint may have something due. */
  delivery(endpointId: EndpointId): void;
}

/** Wake-ups: new work is looked for at once, not at the next poll. */
export interface Wakes extends WakeTargets {
  /** Sets what is woken from now on. */
  connect(targets: Partial<WakeTargets>): void;
}

/**
 * Wake-ups that go nowhere until they are connected: workers are started after the operations that wake them are built.
 */
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
