import type { EndpointId } from '@supplier/lib/text/ids';
import type { ClaimRequest } from './queue.sql.ts';

/** Limits on concurrency and time; times are in milliseconds. */
export interface DeliveryBounds {
  /** All attempts in progress, until their outcome is recorded. */
  readonly total: number;
  /** Maximum number of attempts in progress to one endpoint. */
  readonly perEndpoint: number;
  /** Attempts in progress to endpoints whose latest attempt failed. */
  readonly failing: number;
  /**
   * The limit on those plus the attempts to endpoints without a previous attempt: the rest is reserved for working
   * endpoints.
   */
  readonly unproven: number;
  readonly endpointsPerClaim: number;
  /** How long a worker owns a claimed attempt: longer than it can take, including recording. */
  readonly leaseMs: number;
  /** Interval between polls for due retries and lost attempts. */
  readonly pollMs: number;
  /** How long attempts in progress may continue after a stop, and how long recording them may then take. */
  readonly stopMs: number;
  readonly stopRecordingMs: number;
}

/**
 * Sized with `npm run bench`. One endpoint needs 32 to 64 concurrent attempts to receive everything that a worker can
 * send over a fast line, and more would only cost connections; 64 at 100 ms each are 640 a second. One hanging endpoint
 * can occupy at most an eighth of all places, for ten seconds; PART_OF_FREE limits several.
 */
export const DELIVERY_BOUNDS: DeliveryBounds = {
  total: 512,
  perEndpoint: 64,
  failing: 256,
  unproven: 384,
  endpointsPerClaim: 64,
  leaseMs: 20_000,
  pollMs: 1_000,
  stopMs: 5_000,
  stopRecordingMs: 1_500,
};

/** The endpoints that may have an event due, served in turn. */
export interface ReadyEndpoints {
  /** Adds an endpoint that may have an event due. */
  add(endpointId: EndpointId): void;
  has(endpointId: EndpointId): boolean;
  /** Returns the next claims, for at most `maximum` endpoints and within `capacity`, the longest unserved first. */
  plan(capacity: Capacity, maximum: number): Plan;
}

export interface Plan {
  readonly requests: readonly ClaimRequest[];
  /**
   * Records how many attempts were claimed for each endpoint. An endpoint that yielded fewer than requested has no more
   * due, unless it was added again meanwhile; the others move to the end of the line.
   */
  served(claimed: ReadonlyMap<EndpointId, number>): void;
}

export function readyEndpoints(): ReadyEndpoints {
  // In the order of service; the value is whether the endpoint was added again after it was planned.
  const line = new Map<EndpointId, number>();
  let additions = 0;

  return {
    add(endpointId) {
      additions += 1;
      line.set(endpointId, additions);
    },
    has: (endpointId) => line.has(endpointId),
    plan(capacity, maximum) {
      const requests: ClaimRequest[] = [];
      const planned = new Map<EndpointId, number>();
      for (const [endpointId, addition] of line) {
        if (!capacity.available() || requests.length === maximum) break;
        const slots = capacity.take(endpointId);
        if (slots === 0) continue;
        requests.push({ endpointId, slots });
        planned.set(endpointId, addition);
      }
      return {
        requests,
        served(claimed) {
          for (const { endpointId, slots } of requests) {
            const addition = line.get(endpointId);
            line.delete(endpointId);
            const exhausted = (claimed.get(endpointId) ?? 0) < slots;
            const addedAgain = addition !== planned.get(endpointId);
            if (addition !== undefined && (!exhausted || addedAgain)) line.set(endpointId, addition);
          }
        },
      };
    },
  };
}

/**
 * Counts the attempts in progress, in total and per endpoint. Kept in memory: after a restart, the health of endpoints
 * is relearned.
 */
export interface Concurrency {
  /** Returns how many attempts may begin now; use it up before calling again. */
  capacity(): Capacity;
  /** Counts an attempt as in progress. */
  begin(endpointId: EndpointId): RunningAttempt;
}

export interface Capacity {
  /** Whether any more attempts may begin. */
  available(): boolean;
  /** Returns how many attempts may begin for the endpoint; reduces the capacity by as many. */
  take(endpointId: EndpointId): number;
}

export interface RunningAttempt {
  /** The attempt has ended at its receiver: it no longer counts against its endpoint. */
  answered(succeeded: boolean): void;
  /** The outcome is recorded or abandoned: the attempt is no longer in progress. */
  finished(): void;
  /** The attempt was not made, so it says nothing about its endpoint. */
  cancelled(): void;
}

interface EndpointLoad {
  window: EndpointWindow;
  underWay: number;
}

type Bounds = Pick<DeliveryBounds, 'total' | 'perEndpoint' | 'failing' | 'unproven'>;

/**
 * The share of the free places that one endpoint may hold. It shrinks as places fill up: a single endpoint gets all it
 * can use, and twenty that start to hang together still leave a quarter of all places free, without counting how many
 * endpoints are busy.
 */
const PART_OF_FREE = 1 / 8;

/** Counts attempts against `bounds`: in total, per endpoint, and for all new or failing endpoints. */
export function endpointConcurrency(bounds: Bounds): Concurrency {
  const known = new Map<EndpointId, EndpointLoad>();
  const underWay: Record<EndpointHealth, number> = { new: 0, proven: 0, failing: 0 };
  let total = 0;

  return {
    capacity() {
      const unproven = underWay.new + underWay.failing;
      const left = {
        total: bounds.total - total,
        unproven: bounds.unproven - unproven,
        failing: bounds.failing - underWay.failing,
      };
      return {
        available: () => left.total > 0,
        take(endpointId) {
          const { window, underWay: held } = known.get(endpointId) ?? { window: NEW_WINDOW, underWay: 0 };
          const fair = Math.max(1, Math.floor(left.total * PART_OF_FREE));
          const allowed = Math.min(...LIMITS[window.health].map((limit) => left[limit]));
          const slots = Math.max(0, Math.min(allowed, Math.min(window.size, fair) - held));
          for (const limit of LIMITS[window.health]) left[limit] -= slots;
          return slots;
        },
      };
    },
    begin(endpointId) {
      const load = known.get(endpointId) ?? { window: NEW_WINDOW, underWay: 0 };
      known.set(endpointId, load);
      const { health } = load.window;
      load.underWay += 1;
      underWay[health] += 1;
      total += 1;
      return {
        answered(succeeded) {
          load.underWay -= 1;
          underWay[health] -= 1;
          load.window = windowAfter(load.window, succeeded, bounds.perEndpoint);
        },
        finished() {
          total -= 1;
        },
        cancelled() {
          load.underWay -= 1;
          underWay[health] -= 1;
          total -= 1;
        },
      };
    },
  };
}

/** The limits that apply to an attempt, by the health of its endpoint. */
const LIMITS = {
  proven: ['total'],
  new: ['total', 'unproven'],
  failing: ['total', 'unproven', 'failing'],
} as const satisfies Record<EndpointHealth, readonly (keyof Bounds)[]>;

/** The known state of an endpoint: nothing yet, or the result of its latest attempt. */
export type EndpointHealth = 'new' | 'proven' | 'failing';

/** How many attempts may be in progress to one endpoint, given its latest results. */
export interface EndpointWindow {
  readonly size: number;
  readonly health: EndpointHealth;
}

/** A new endpoint gets one attempt: if it hangs, it occupies only one place. */
export const NEW_WINDOW: EndpointWindow = { size: 1, health: 'new' };

/**
 * Returns the window after an attempt: it doubles with every success up to `maximum`, and returns to one attempt at a
 * time with every failure.
 */
export function windowAfter(window: EndpointWindow, succeeded: boolean, maximum: number): EndpointWindow {
  if (!succeeded) return { size: 1, health: 'failing' };
  return { size: Math.min(maximum, window.size * 2), health: 'proven' };
}
