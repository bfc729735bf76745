import { appendAudit, auditEntry, purposeOf } from '@supplier/lib/governance/audit';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { EventId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { noEvent } from '../refusals.ts';
import { answerHeadAad } from '../store/associated-data.ts';
import { inTransaction } from '../store/database.ts';
import { findAnswerHeads, findEvent } from '../store/events.ts';
import { eventMessage } from './event-message.ts';

/**
 * One event with everything that is kept of its attempts, including the beginning of each answer. An answer may repeat
 * the request, including a link into the customer journey: every read needs a purpose and is audited. NOT_FOUND for an
 * unknown event. Implements docs/contract.md, sections 7 and 10.
 */
export function getEvent({ db, clock, keyRing }: Context): Rpcs['getEvent'] {
  return async (request, call) => {
    const purpose = purposeOf(request);
    const eventId = requestedId<EventId>('event_id', request.eventId);
    const found = await inTransaction(db, async (tx) => {
      const event = await findEvent(tx, eventId);
      if (!event) return undefined;
      const { submissionId, environment } = event;
      await appendAudit(
        tx,
        auditEntry(call, {
          at: clock.now(),
          target: eventId,
          accountId: event.accountId,
          after: { eventId, submissionId, environment },
          purpose,
        }),
      );
      return { event, sealed: await findAnswerHeads(tx, eventId) };
    });
    if (!found) throw noEvent();
    const opened = [...found.sealed].map(
      ([number, sealed]) => [number, keyRing.open(sealed, answerHeadAad(eventId, number))] as const,
    );
    return eventMessage(found.event, new Map(opened));
  };
}
