import type { EventId } from '@supplier/lib/ids';
import type { Database, Transaction } from './database.ts';
import { EVENT_PARTS, type EventRecord, eventFromRow } from './event-rows.ts';

/** An event with its attempts, if there is one. */
export async function findEvent(db: Database | Transaction, id: EventId): Promise<EventRecord | undefined> {
  const row = await db.event.findUnique({ where: { id }, ...EVENT_PARTS });
  return row ? eventFromRow(row) : undefined;
}

/** The sealed beginnings of the answers to the attempts of an event, by the attempt's number. */
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
