import type { AccountId, EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { AttemptError } from '../model/attempt.ts';
import type { EnvironmentName, EventChange, EventState } from '../model/event.ts';
import type { Database, Transaction } from './database.ts';
import type { AttemptModel } from './generated/models/Attempt.ts';
import type { EventModel } from './generated/models/Event.ts';

/** An event with its attempts, as shown to staff, without its body and responses. */
export interface EventRecord {
  readonly eventId: EventId;
  readonly submissionId: SubmissionId;
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  /** Undefined for an event that was dropped while there was no endpoint. */
  readonly endpointId: EndpointId | undefined;
  readonly change: EventChange;
  readonly occurredAt: Date;
  readonly recordedAt: Date;
  readonly state: EventState;
  readonly supersededBy: EventId | undefined;
  readonly redeliveredAs: EventId | undefined;
  readonly nextAttemptAt: Date | undefined;
  readonly settledAt: Date | undefined;
  /** When its link, or the whole body, was erased. */
  readonly bodyErasedAt: Date | undefined;
  /** Ordered by number. */
  readonly attempts: readonly AttemptRecord[];
}

export interface AttemptRecord {
  readonly number: number;
  readonly startedAt: Date;
  readonly endedAt: Date | undefined;
  readonly statusCode: number | undefined;
  readonly error: AttemptError | undefined;
  readonly keyFingerprint: string;
  /** Duration in milliseconds of each phase that took place. */
  readonly dnsMs: number | undefined;
  readonly connectMs: number | undefined;
  readonly tlsMs: number | undefined;
  readonly statusMs: number | undefined;
  readonly resolvedIp: string | undefined;
  readonly tlsVersion: string | undefined;
  /** Whether the response is not kept because the person was erased. */
  readonly isAnswerErased: boolean;
}

/** Returns an event with its attempts, if there is one. */
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

/** The position of an event among its endpoint's events. */
export interface EventPosition {
  readonly recordedAt: Date;
  readonly eventId: EventId;
}

export interface EventsPage {
  readonly endpointId: EndpointId;
  /** Only events in one of these states; all when empty. */
  readonly states: readonly EventState[];
  readonly recordedSince: Date | undefined;
  /** Only events after this position. */
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

function eventFromRow(row: EventRow): EventRecord {
  return {
    eventId: row.id as EventId,
    submissionId: row.submissionId as SubmissionId,
    accountId: row.accountId as AccountId,
    environment: row.environment,
    endpointId: (row.endpointId ?? undefined) as EndpointId | undefined,
    change: row.change,
    occurredAt: row.occurredAt,
    recordedAt: row.recordedAt,
    state: row.state,
    supersededBy: (row.supersededBy ?? undefined) as EventId | undefined,
    redeliveredAs: (row.redeliveredAs ?? undefined) as EventId | undefined,
    nextAttemptAt: row.nextAttemptAt ?? undefined,
    settledAt: row.settledAt ?? undefined,
    bodyErasedAt: row.bodyErasedAt ?? undefined,
    attempts: [...row.attempts.map(attemptFromRow), ...attemptUnderWay(row)],
  };
}

/** Returns the attempt in progress, if there is one: it gets a row only when it has ended. */
function attemptUnderWay(row: EventRow): AttemptRecord[] {
  const { leaseUntil, attemptCount, attemptStartedAt, attemptKeyFingerprint } = row;
  if (!leaseUntil || !attemptStartedAt || attemptKeyFingerprint === null) return [];
  if (row.attempts.some(({ number }) => number === attemptCount)) return [];
  return [
    {
      number: attemptCount,
      startedAt: attemptStartedAt,
      endedAt: undefined,
      statusCode: undefined,
      error: undefined,
      keyFingerprint: attemptKeyFingerprint,
      dnsMs: undefined,
      connectMs: undefined,
      tlsMs: undefined,
      statusMs: undefined,
      resolvedIp: undefined,
      tlsVersion: undefined,
      isAnswerErased: false,
    },
  ];
}

function attemptFromRow(row: AttemptRow): AttemptRecord {
  return {
    number: row.number,
    startedAt: row.startedAt,
    endedAt: row.endedAt ?? undefined,
    statusCode: row.statusCode ?? undefined,
    error: row.errorClass ?? undefined,
    keyFingerprint: row.keyFingerprint,
    dnsMs: row.dnsMs ?? undefined,
    connectMs: row.connectMs ?? undefined,
    tlsMs: row.tlsMs ?? undefined,
    statusMs: row.statusMs ?? undefined,
    resolvedIp: row.resolvedIp ?? undefined,
    tlsVersion: row.tlsVersion ?? undefined,
    isAnswerErased: row.answerErasedAt !== null,
  };
}
