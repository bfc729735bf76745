import type { ClientRequest, Evidence } from '../faults/evidence.ts';
import type { Loss } from './postgres-pair.ts';

/** A response may arrive this long after its server has ended. */
const ARRIVAL_MS = 1_000;

/** Reports whether something that was acknowledged at this time may be lost. */
export const isLost = (losses: readonly Loss[], at: number): boolean =>
  losses.some(({ from, until }) => at >= from && at <= until + ARRIVAL_MS);

/**
 * Leaves out of the evidence what may be lost by a failover to an asynchronous standby: states seen in these periods, and
 * what followed from submissions acknowledged only in them. Everything else must still hold.
 */
export function withoutLost(evidence: Evidence, losses: readonly Loss[]): Evidence {
  const acknowledged = Map.groupBy(
    evidence.requests.filter(({ seen }) => seen),
    ({ reference }) => reference,
  );
  const mayBeUnknown = (reference: string) =>
    isLost(losses, acknowledged.get(reference)?.[0]?.answeredAt ?? 0);
  const nameOf = ({ kind, reference }: ClientRequest) => `${kind} ${reference}`;
  const excused = new Set(
    evidence.requests
      .filter(
        ({ kind, answer }) => (kind === 'changed' && answer === 202) || (kind === 'read' && answer === 404),
      )
      .filter(({ reference }) => mayBeUnknown(reference))
      .map(nameOf),
  );
  const stored = new Set(evidence.changes.map(({ eventId }) => eventId));
  return {
    ...evidence,
    requests: evidence.requests
      .filter((request) => !excused.has(nameOf(request)))
      .map((request) => (isLost(losses, request.answeredAt) ? { ...request, seen: null } : request)),
    deliveries: evidence.deliveries.filter(({ at, eventId }) => stored.has(eventId) || !isLost(losses, at)),
    // The replaced secret may still be in force.
    secrets: evidence.secrets.map((one) =>
      isLost(losses, one.until ?? 0) ? { ...one, until: Infinity } : one,
    ),
  };
}
