import type { ClientRequest, Evidence } from '../faults/evidence.ts';
import type { Loss } from './postgres-pair.ts';

/** A response may arrive this long after its server has ended. */
const ARRIVAL_MS = 1_000;

/**
 * Leaves out of the evidence what may be lost by a failover to an asynchronous standby: states seen in these periods, and
 * what followed from submissions acknowledged only in them. Everything else must still hold.
 */
export function withoutLost(evidence: Evidence, losses: readonly Loss[]): Evidence {
  const isLost = (at: number) => losses.some(({ from, until }) => at >= from && at <= until + ARRIVAL_MS);
  const acknowledged = Map.groupBy(
    evidence.requests.filter(({ seen }) => seen),
    ({ reference }) => reference,
  );
  const mayBeUnknown = (reference: string) => isLost(acknowledged.get(reference)?.[0]?.answeredAt ?? 0);
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
      .map((request) => (isLost(request.answeredAt) ? { ...request, seen: null } : request)),
    deliveries: evidence.deliveries.filter(({ at, eventId }) => stored.has(eventId) || !isLost(at)),
    // The replaced secret may still be in force.
    secrets: evidence.secrets.map((one) => (isLost(one.until ?? 0) ? { ...one, until: null } : one)),
  };
}
