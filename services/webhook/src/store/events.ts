import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { EventState } from '../model/event.ts';
import type { Database, Transaction } from './database.ts';
import type { AttemptModel } from './generated/models/Attempt.ts';
import type { EventModel } from './generated/models/Event.ts';

/** An event with its attempts in the order of their numbers, as shown to staff, without its body and responses. */
export type EventRecord = ReturnType<typeof eventFromRow>;

/** An attempt in progress has only a number, a start and a key. */
export type AttemptRecord = Pick<AttemptRow, 'number' | 'startedAt' | 'keyFingerprint'> & Partial<AttemptRow>;

export async function findEvent(db: Database | Transaction, id: EventId): Promise<EventRecord | undefined> {
  const row = await db.event.findUnique({ where: { id }, ...EVENT_PARTS });
  return row ? eventFromRow(row) : undefined;
}

/** Returns the sealed beginnings of the responses to the attempts of an event, by attempt number. */
export async function findAnswerHeads(
  db: Database | Transaction,
  eventId: EventId,
): Promise<ReadonlyMap<number, Uint8Array>> {
  const rows = await db.attempt.findMany({
    where: { eventId, sealedAnswerHead: { not: null } },
    select: { number: true, sealedAnswerHead: true },
  });
  return new Map(
    rows.flatMap(({ number, sealedAnswerHead }) => (sealedAnswerHead ? [[number, sealedAnswerHead]] : [])),
  );
}

/** Returns the first `limit` events recorded for a submission, oldest change first, including dropped ones. */
export async function listEvents(
  db: Database,
  submissionId: SubmissionId,
  limit: number,
): Promise<EventRecord[]> {
  const rows = await db.event.findMany({
    where: { submissionId },
    orderBy: [{ occurredAt: 'asc' }, { id: 'asc' }],
    take: limit,
    ...EVENT_PARTS,
  });
  return rows.map(eventFromRow);
}

export interface EventPosition {
  readonly recordedAt: Date;
  readonly eventId: EventId;
}

export interface EventsPage {
  readonly endpointId: EndpointId;
  /** Only events in one of these states; all when empty. */
  readonly states: readonly EventState[];
  readonly recordedSince: Date | undefined;
  readonly after: EventPosition | undefined;
  readonly limit: number;
}

/** Returns the events of an endpoint, latest recorded first. Every page is one range of the index with that order. */
export async function listEndpointEvents(
  db: Database,
  { endpointId, states, recordedSince, after, limit }: EventsPage,
): Promise<EventRecord[]> {
  const rows = await db.event.findMany({
    where: {
      endpointId,
      ...(states.length > 0 ? { state: { in: [...states] } } : {}),
      recordedAt: {
        ...(recordedSince ? { gte: recordedSince } : {}),
        ...(after ? { lte: after.recordedAt } : {}),
      },
      ...(after ? { NOT: { recordedAt: after.recordedAt, id: { gte: after.eventId } } } : {}),
    },
    orderBy: [{ recordedAt: 'desc' }, { id: 'desc' }],
    take: limit,
    ...EVENT_PARTS,
  });
  return rows.map(eventFromRow);
}

/** The query options for an event's record. */
const EVENT_PARTS = {
  omit: { sealedBody: true },
  include: { attempts: { orderBy: { number: 'asc' }, omit: { sealedAnswerHead: true } } },
} as const;

type AttemptRow = Omit<AttemptModel, 'sealedAnswerHead'>;
type EventRow = Omit<EventModel, 'sealedBody'> & { readonly attempts: readonly AttemptRow[] };

function eventFromRow(row: EventRow) {
  return {
    ...row,
    eventId: row.id as EventId,
    submissionId: row.submissionId as SubmissionId,
    accountId: row.accountId as AccountId,
    endpointId: row.endpointId as EndpointId | null,
    attempts: [...row.attempts, ...attemptUnderWay(row)],
  };
}

/** Returns the attempt in progress, if there is one: it gets a row only when it has ended. */
function attemptUnderWay(row: EventRow): AttemptRecord[] {
  const { leaseUntil, attemptCount: number, attemptStartedAt: startedAt, attemptKeyFingerprint } = row;
  if (!leaseUntil || !startedAt || attemptKeyFingerprint === null) return [];
  return [{ number, startedAt, keyFingerprint: attemptKeyFingerprint }];
}
