import type { EndpointId } from '@supplier/lib/ids';
import { type EndpointWindow, NEW_WINDOW, windowAfter } from '../domain/endpoint-window.ts';
import type { DeliveryBounds } from './bounds.ts';

/** What is under way, in all and per endpoint. Lives in memory: what it forgets at a restart is learnt again. */
export interface Loads {
  /** What may be begun now; to be used up before the next one is asked for. */
  offer(): Offer;
  /** Counts an attempt as under way. */
  begin(endpointId: EndpointId): RunningAttempt;
}

export interface Offer {
  /** Whether anything more may be begun at all. */
  some(): boolean;
  /** How many attempts may be begun for the endpoint; they are taken off the offer. */
  take(endpointId: EndpointId): number;
}

export interface RunningAttempt {
  /** The receiver is done with: its endpoint has room again. */
  answered(succeeded: boolean): void;
  /** The outcome is recorded, or given up: the attempt is no longer under way. */
  finished(): void;
}

interface Load {
  window: EndpointWindow;
  underWay: number;
}

type Bounds = Pick<DeliveryBounds, 'total' | 'perEndpoint' | 'failing'>;

/** Counts against `bounds`: in all, per endpoint, and for all endpoints whose latest attempt failed. */
export function loads(bounds: Bounds): Loads {
  const known = new Map<EndpointId, Load>();
  let total = 0;
  let failing = 0;

  return {
    offer() {
      let left = bounds.total - total;
      let leftFailing = bounds.failing - failing;
      return {
        some: () => left > 0,
        take(endpointId) {
          const { window, underWay } = known.get(endpointId) ?? { window: NEW_WINDOW, underWay: 0 };
          const bound = window.failing ? Math.min(left, leftFailing) : left;
          const slots = Math.max(0, Math.min(window.size - underWay, bound));
          left -= slots;
          if (window.failing) leftFailing -= slots;
          return slots;
        },
      };
    },
    begin(endpointId) {
      const load = known.get(endpointId) ?? { window: NEW_WINDOW, underWay: 0 };
      known.set(endpointId, load);
      const countsAsFailing = load.window.failing;
      load.underWay += 1;
      total += 1;
      if (countsAsFailing) failing += 1;
      return {
        answered(succeeded) {
          load.underWay -= 1;
          if (countsAsFailing) failing -= 1;
          load.window = windowAfter(load.window, succeeded, bounds.perEndpoint);
        },
        finished() {
          total -= 1;
        },
      };
    },
  };
}
