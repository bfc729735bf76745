import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { EnvironmentName, EventChange } from './event.ts';

/** A change of a submission to record. */
export interface Change {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly change: EventChange;
  readonly occurredAt: Date;
  /** The `traceparent` that its delivery continues; empty if it is not traced. */
  readonly traceParent?: string;
}

/** The facts needed to decide how a change is recorded. */
export interface Circumstances {
  /** Whether an event is already recorded under its id. */
  readonly known: boolean;
  /** The endpoint of the change's account and environment, if there is one. */
  readonly endpointId: EndpointId | undefined;
  /** Whether the change's own time is in one of that endpoint's intervals of activity. */
  readonly activeThen: boolean;
}

/** An event that awaits its first attempt. */
export type WaitingEvent = Pick<Change, 'eventId' | 'submissionId' | 'occurredAt'>;

/** How a change is recorded. */
export type Recording =
  | { readonly state: 'dropped'; readonly endpointId: EndpointId | undefined }
  | { readonly state: 'superseded'; readonly endpointId: EndpointId; readonly supersededBy: EventId }
  | { readonly state: 'pending'; readonly endpointId: EndpointId };

export interface RecordedChange {
  readonly change: Change;
  readonly recording: Recording;
}

/** How a set of changes is recorded. */
export interface Recordings {
  /** The new changes, in order. */
  readonly recorded: readonly RecordedChange[];
  /** Earlier events that are superseded, each with its replacement. */
  readonly superseded: ReadonlyMap<EventId, EventId>;
}

/**
 * Decides how changes are recorded, as if they had arrived one after the other: dropped when no endpoint was active at
 * a change's own time, however late it arrives; superseded by the latest later state of the submission that awaits its
 * first attempt; otherwise pending, and replacing every earlier waiting state. A change that is already known has no
 * effect. Implements docs/contract.md, section 7.
 */
export function recordAll(
  changes: readonly { readonly change: Change; readonly circumstances: Circumstances }[],
  waitingBefore: readonly WaitingEvent[],
): Recordings {
  const recordings = new Map<EventId, RecordedChange>();
  const superseded = new Map<EventId, EventId>();
  const waiting = waitingBySubmission(waitingBefore);

  function record({ endpointId, activeThen }: Circumstances, change: Change): Recording {
    if (endpointId === undefined || !activeThen) return { state: 'dropped', endpointId };
    const others = waiting.get(change.submissionId) ?? [];
    const later = latestAfter(others, change.occurredAt);
    if (later) return { state: 'superseded', endpointId, supersededBy: later.eventId };
    for (const earlier of others) {
      if (earlier.occurredAt < change.occurredAt) giveWay(earlier.eventId, change.eventId);
    }
    waiting.set(change.submissionId, [
      ...others.filter(({ occurredAt }) => occurredAt >= change.occurredAt),
      change,
    ]);
    return { state: 'pending', endpointId };
  }

  function giveWay(eventId: EventId, supersededBy: EventId): void {
    const sameSet = recordings.get(eventId);
    if (!sameSet) superseded.set(eventId, supersededBy);
    else if (sameSet.recording.state === 'pending') {
      const { endpointId } = sameSet.recording;
      recordings.set(eventId, { ...sameSet, recording: { state: 'superseded', endpointId, supersededBy } });
    }
  }

  for (const { change, circumstances } of changes) {
    if (circumstances.known || recordings.has(change.eventId)) continue;
    recordings.set(change.eventId, { change, recording: record(circumstances, change) });
  }
  return { recorded: [...recordings.values()], superseded };
}

function waitingBySubmission(events: readonly WaitingEvent[]): Map<SubmissionId, readonly WaitingEvent[]> {
  const grouped = new Map<SubmissionId, WaitingEvent[]>();
  for (const event of events) {
    const group = grouped.get(event.submissionId) ?? [];
    group.push(event);
    grouped.set(event.submissionId, group);
  }
  return grouped;
}

function latestAfter(events: readonly WaitingEvent[], time: Date): WaitingEvent | undefined {
  let latest: WaitingEvent | undefined;
  for (const event of events) {
    if (event.occurredAt > time && (!latest || event.occurredAt > latest.occurredAt)) latest = event;
  }
  return latest;
}
