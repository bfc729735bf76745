import type { EndpointId } from '@supplier/lib/text/ids';
import type { Capacity } from './concurrency.ts';
import type { ClaimRequest } from './queue.sql.ts';

/** The endpoints that may have something due, served in turn. */
export interface ReadyEndpoints {
  /** Notes that the endpoint may have something due. */
  add(endpointId: EndpointId): void;
  has(endpointId: EndpointId): boolean;
  /** What to claim next, for at most `maximum` endpoints and within `capacity`, the longest unserved first. */
  plan(capacity: Capacity, maximum: number): Plan;
}

export interface Plan {
  readonly requests: readonly ClaimRequest[];
  /**
   * Notes how many attempts were claimed for each: an endpoint that yielded fewer than requested has nothing more due,
   * unless it was added again meanwhile; the others go to the end of the line.
   */
  served(claimed: ReadonlyMap<EndpointId, number>): void;
}

export function readyEndpoints(): ReadyEndpoints {
  // In the order of service; the value says whether the endpoint was added again after it was planned.
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
