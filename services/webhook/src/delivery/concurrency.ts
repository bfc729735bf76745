import type { EndpointId } from '@supplier/lib/ids';
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

type Bounds = Pick<DeliveryBounds, 'total' | 'perEndpoint' | 'failing' | 'unproven'>;

/**
 * The part of the free places that one endpoint may hold. The fuller it gets, the less anybody may have: one endpoint
 * alone gets all it can use, twenty that begin to hang together still leave a quarter of all places free, and how many
 * endpoints are busy need not be known.
 */
const PART_OF_FREE = 1 / 8;

/** Counts against `bounds`: in all, per endpoint, and for all endpoints that have not proved that they work. */
export function loads(bounds: Bounds): Loads {
  const known = new Map<EndpointId, Load>();
  const underWay: Record<Standing, number> = { new: 0, proven: 0, failing: 0 };
  let total = 0;

  return {
    offer() {
      const unproven = underWay.new + underWay.failing;
      const left = {
        total: bounds.total - total,
        unproven: bounds.unproven - unproven,
        failing: bounds.failing - underWay.failing,
      };
      return {
        some: () => left.total > 0,
        take(endpointId) {
          const { window, underWay: held } = known.get(endpointId) ?? { window: NEW_WINDOW, underWay: 0 };
          const fair = Math.max(1, Math.floor(left.total * PART_OF_FREE));
          const room = Math.min(...LIMITS[window.standing].map((limit) => left[limit]));
          const slots = Math.max(0, Math.min(room, Math.min(window.size, fair) - held));
          for (const limit of LIMITS[window.standing]) left[limit] -= slots;
          return slots;
        },
      };
    },
    begin(endpointId) {
      const load = known.get(endpointId) ?? { window: NEW_WINDOW, underWay: 0 };
      known.set(endpointId, load);
      const { standing } = load.window;
      load.underWay += 1;
      underWay[standing] += 1;
      total += 1;
      return {
        answered(succeeded) {
          load.underWay -= 1;
          underWay[standing] -= 1;
          load.window = windowAfter(load.window, succeeded, bounds.perEndpoint);
        },
        finished() {
          total -= 1;
        },
      };
    },
  };
}

/** What an attempt counts against, by the standing of its endpoint. */
const LIMITS = {
  proven: ['total'],
  new: ['total', 'unproven'],
  failing: ['total', 'unproven', 'failing'],
} as const satisfies Record<Standing, readonly (keyof Bounds)[]>;

/** What is known of an endpoint: nothing yet, or how its latest attempt ended. */
export type Standing = 'new' | 'proven' | 'failing';

/** How many attempts may be under way at once to one endpoint, as far as it has proved itself. */
export interface EndpointWindow {
  readonly size: number;
  readonly standing: Standing;
}

/** An endpoint that nothing is known of gets one attempt: if it hangs, it holds up one place and not many. */
export const NEW_WINDOW: EndpointWindow = { size: 1, standing: 'new' };

/** Doubles with every success up to `maximum`, and falls back to one attempt at a time with every failure. */
export function windowAfter(window: EndpointWindow, succeeded: boolean, maximum: number): EndpointWindow {
  if (!succeeded) return { size: 1, standing: 'failing' };
  return { size: Math.min(maximum, window.size * 2), standing: 'proven' };
}
