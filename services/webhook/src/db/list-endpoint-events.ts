import type { EndpointId, EventId } from '@supplier/lib/ids';
import type { EventState } from '../domain/event.ts';
import type { Database } from './database.ts';
import { EVENT_PARTS, type EventRecord, eventFromRow } from './event-rows.ts';

/** Where an event stands among those of its endpoint. */
export interface EventPosition {
  readonly recordedAt: Date;
  readonly eventId: EventId;
}

export interface EventsPage {
  readonly endpointId: EndpointId;
  /** Only events in one of these states; all when empty. */
  readonly states: readonly EventState[];
  readonly recordedSince: Date | undefined;
  /** Only events that stand after this one. */
  readonly after: EventPosition | undefined;
  readonly limit: number;
}

/** The events of an endpoint, latest recorded first. Every page is one range of the index on just that order. */
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
