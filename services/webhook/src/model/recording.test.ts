import {
  type AccountId,
  type EndpointId,
  type EventId,
  newId,
  type SubmissionId,
} from '@supplier/lib/text/ids';
import { type Change, type Circumstances, recordAll, type WaitingEvent } from './recording.ts';

const endpointId = newId<EndpointId>();
const submissionId = newId<SubmissionId>();
const ACTIVE: Circumstances = { known: false, endpointId, activeThen: true };

function changeAt(ms: number, of = submissionId): Change {
  return {
    eventId: newId<EventId>(),
    submissionId: of,
    accountId: newId<AccountId>(),
    environment: 'sandbox',
    change: 'decided',
    occurredAt: new Date(ms),
  };
}

/** Returns the result for a set: the state of each change, and the events that replaced others. */
function record(
  changes: readonly Change[],
  waiting: readonly WaitingEvent[] = [],
  circumstances: Circumstances = ACTIVE,
) {
  const { recorded, superseded } = recordAll(
    changes.map((change) => ({ change, circumstances })),
    waiting,
  );
  return { recordings: recorded.map(({ recording }) => recording), superseded: [...superseded] };
}

const pending = { state: 'pending', endpointId };
const supersededBy = ({ eventId }: WaitingEvent) => ({
  state: 'superseded',
  endpointId,
  supersededBy: eventId,
});

describe('change', () => {
  it('is dropped without an endpoint, and when the endpoint was not active at the time, even if a later event waits', () => {
    for (const nowhere of [undefined, endpointId]) {
      const circumstances = { known: false, endpointId: nowhere, activeThen: false };
      expect(record([changeAt(1)], [changeAt(2)], circumstances)).toEqual({
        recordings: [{ state: 'dropped', endpointId: nowhere }],
        superseded: [],
      });
    }
  });

  it('is superseded by the latest later state that waits', () => {
    const latest = changeAt(9);
    expect(record([changeAt(1)], [changeAt(5), latest, changeAt(7)])).toEqual({
      recordings: [supersededBy(latest)],
      superseded: [],
    });
  });

  it('supersedes every earlier waiting state of only its own submission', () => {
    const [earlier, other] = [changeAt(1), changeAt(2, newId<SubmissionId>())];
    const change = changeAt(3);
    expect(record([change], [earlier, other])).toEqual({
      recordings: [pending],
      superseded: [[earlier.eventId, change.eventId]],
    });
  });

  it('does not supersede another of the same time', () => {
    expect(record([changeAt(3), changeAt(3)])).toEqual({ recordings: [pending, pending], superseded: [] });
  });

  it('is recorded at most once when it is already known or repeated within a set', () => {
    const change = changeAt(1);
    expect(record([change], [], { ...ACTIVE, known: true }).recordings).toEqual([]);
    expect(record([change, change]).recordings).toEqual([pending]);
  });
});

describe('changes of one submission in one set', () => {
  it('supersede each other in order, and the first supersedes one that already waited', () => {
    const waiting = changeAt(1);
    const [one, two, three] = [changeAt(2), changeAt(3), changeAt(4)];
    expect(record([one, two, three], [waiting])).toEqual({
      recordings: [supersededBy(two), supersededBy(three), pending],
      superseded: [[waiting.eventId, one.eventId]],
    });
  });

  it('are superseded by a later one together with one of the same time', () => {
    const [one, same, later] = [changeAt(2), changeAt(2), changeAt(3)];
    expect(record([one, same, later]).recordings).toEqual([
      supersededBy(later),
      supersededBy(later),
      pending,
    ]);
  });

  it('end with the latest state in any order of arrival', () => {
    const [early, late] = [changeAt(2), changeAt(4)];
    expect(record([late, early]).recordings).toEqual([pending, supersededBy(late)]);
  });
});
