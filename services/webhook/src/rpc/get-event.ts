import type { EventId } from '@supplier/lib/ids';
import { requestedId } from '@supplier/lib/refusal';
import { currentContext } from '@supplier/lib/request-context';
import { callerOf } from '@supplier/lib/rpc-server';
import type { Rpcs, ServiceContext } from '../context.ts';
import { appendAuditLine } from '../db/audit.ts';
import { inTransaction } from '../db/database.ts';
import { findAnswerHeads, findEvent } from '../db/read-events.ts';
import { answerHeadPlace } from '../domain/sealed-places.ts';
import { eventMessage } from '../messages/event-message.ts';
import { noEvent } from '../requests/refusals.ts';

/**
 * One event with everything that is kept of its attempts, also the beginning of each answer. An answer may repeat what
 * it was sent, a link into the customer journey included: nobody reads one without a line in the audit log.
 * NOT_FOUND for an unknown event. Implements docs/contract.md, sections 7 and 10.
 */
export function getEvent({ db, clock, ring }: ServiceContext): Rpcs['getEvent'] {
  return async (request, call) => {
    const eventId = requestedId<EventId>('event_id', request.eventId);
    const found = await inTransaction(db, async (tx) => {
      const event = await findEvent(tx, eventId);
      if (!event) return undefined;
      const { submissionId, environment } = event;
      await appendAuditLine(tx, {
        at: clock.now(),
        actor: callerOf(call).subject,
        action: call.method.name,
        accountId: event.accountId,
        details: { eventId, submissionId, environment },
        requestId: currentContext()?.requestId ?? '',
      });
      return { event, sealed: await findAnswerHeads(tx, eventId) };
    });
    if (!found) throw noEvent();
    const opened = [...found.sealed].map(
      ([number, sealed]) => [number, ring.open(sealed, answerHeadPlace(eventId, number))] as const,
    );
    return eventMessage(found.event, new Map(opened));
  };
}
