import { actorOf, appendAudit, auditEntry } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { EventId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { noEvent, refuseUnlessActive } from '../refusals.ts';
import { findEndpoint } from '../store/endpoints.ts';
import { type EventRecord, findEvent } from '../store/events.ts';
import { type InRedeliveryTurn, redeliverSubmission } from './index.ts';

/**
 * Delivers the present state of the submission of an exhausted or expired event as a new event, which replaces all
 * events of that submission that did not arrive. A call that is interrupted between the new event and the marking may
 * be repeated: the supplier then gets the present state again, unless both calls have the same idempotency key. NOT_FOUND for an unknown event, WRONG_STATE for one that
 * needs no redelivery or whose endpoint is not active, SERVICE_UNAVAILABLE while another redelivery of the endpoint
 * runs. Implements docs/contract.md, section 7.
 */
export function redeliverEvent(context: Context, inTurn: InRedeliveryTurn): Rpcs['redeliverEvent'] {
  const { db, clock, idempotent } = context;
  return idempotent.resumable(async (request, call, act) => {
    const eventId = requestedId<EventId>('event_id', request.eventId);
    const event = redeliverable(await findEvent(db, eventId));
    const { endpointId, submissionId } = event;
    const redelivery = await inTurn(endpointId, async () => {
      await act.begin(async (tx) => {
        // Checked again, since another redelivery may have come first.
        redeliverable(await findEvent(tx, eventId));
        refuseUnlessActive(await findEndpoint(tx, event.accountId, event.environment));
        await appendAudit(
          tx,
          auditEntry(call, {
            at: clock.now(),
            target: eventId,
            accountId: event.accountId,
            after: { eventId, submissionId: event.submissionId, environment: event.environment, endpointId },
          }),
        );
      });
      return redeliverSubmission(context, submissionId, endpointId, {
        ...{ by: actorOf(call), key: act.id() },
        end: (done, tx) => act.end({ redelivery: done }, tx),
      });
    });
    return { redelivery };
  });
}

/** Returns the event if it has not arrived and nothing replaces it; otherwise throws the reason. */
function redeliverable(event: EventRecord | undefined) {
  if (!event) throw noEvent();
  const { state, endpointId, redeliveredAs } = event;
  if ((state !== 'exhausted' && state !== 'expired') || !endpointId) {
    throw refuse(
      RefusalCode.WRONG_STATE,
      `Only exhausted and expired events are redelivered; this one is ${state}.`,
    );
  }
  if (redeliveredAs) {
    throw refuse(RefusalCode.WRONG_STATE, `The event has been redelivered: ${redeliveredAs} replaces it.`);
  }
  return { ...event, endpointId };
}
