import { startOfDay } from '../../dates.ts';
import type { SubmissionsSearch } from '../../searches.ts';

/** Returns the request for the submissions that a URL selects. */
export function requestOf({
  status,
  billing,
  queue,
  level,
  account,
  reference,
  request,
  since,
  until,
}: SubmissionsSearch) {
  return {
    statuses: [...(status ?? [])],
    billingStatus: billing ?? 0,
    queues: [...(queue ?? [])],
    level: level ?? 0,
    ...(account ? { accountId: account } : {}),
    ...(reference ? { referencePrefix: reference } : {}),
    ...(request ? { requestId: request } : {}),
    ...(since ? { receivedSince: startOfDay(since) } : {}),
    // The last day is included.
    ...(until ? { receivedUntil: startOfDay(until, 1) } : {}),
  };
}
