import { startOfDay } from '../../dates.ts';
import type { SubmissionsSearch } from '../../searches.ts';

/** Returns whether a list is a work queue, whose oldest submission comes first. */
export const isQueue = ({ queue }: SubmissionsSearch): boolean => (queue?.length ?? 0) > 0;

/** Returns the request for the submissions that a URL selects. */
export function requestOf(search: SubmissionsSearch) {
  const { status, billing, queue, level, account, reference, request, since, until } = search;
  return {
    statuses: [...(status ?? [])],
    billingStatus: billing ?? 0,
    queues: [...(queue ?? [])],
    oldestFirst: isQueue(search),
    level: level ?? 0,
    ...(account ? { accountId: account } : {}),
    ...(reference ? { referencePrefix: reference } : {}),
    ...(request ? { requestId: request } : {}),
    ...(since ? { receivedSince: startOfDay(since) } : {}),
    // The last day is included.
    ...(until ? { receivedUntil: startOfDay(until, 1) } : {}),
  };
}
