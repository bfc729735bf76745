import { auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId, EventId } from '@supplier/lib/text/ids';
import { formatTimestamp, toDate } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { noEndpoint, noEvent, refuseUnlessActive, requestedEnvironment } from '../requests.ts';
import { findEndpoint } from '../store/endpoints.ts';
import { findEvent } from '../store/events.ts';
import { makeBacklogDue, makeDue } from './due-now.sql.ts';

/**
 * Makes a pending event due, so that its next attempt is made now, as one of its eight and within the limits of its
 * endpoint. NOT_FOUND for an unknown event, WRONG_STATE while an attempt is in progress, after the delivery has ended,
 * and while the endpoint is disabled. Implements docs/contract.md, section 7.
 */
export function sendEventNow({ db, clock, idempotent, wakes }: Context): Rpcs['sendEventNow'] {
  return idempotent.once(async (request, call, act) => {
    const eventId = requestedId<EventId>('event_id', request.eventId);
    const event = await findEvent(db, eventId);
    if (!event) throw noEvent();
    const { accountId, environment, submissionId, endpointId, state } = event;
    if (state !== 'pending' || !endpointId) throw notPending(state);
    const answer = await act(async (tx) => {
      refuseUnlessActive(await findEndpoint(tx, accountId, environment));
      const attemptNumber = await makeDue(tx, eventId);
      if (attemptNumber === undefined) throw attemptInProgress();
      const after = { eventId, submissionId, environment, endpointId, attemptNumber };
      await auditCall(tx, call, { at: clock.now(), target: eventId, accountId, after });
      return { eventId, submissionId, attemptNumber };
    });
    wakes.delivery(endpointId);
    return answer;
  });
}

/** A slow database updates a few thousand events a second, and the transaction may take five seconds. */
const PER_STATEMENT = 1_000;
const BUDGET_MS = 2_000;

/**
 * Makes the pending events of an endpoint due that are scheduled for later, all or those recorded at or after a time.
 * They are claimed like other due events, in the order of their schedule and within the limits of the endpoint. As
 * many as two seconds allow, in one transaction with the audit entry: if `more` is set, call again. Repeating the call
 * changes nothing for events that are still due. NOT_FOUND without an endpoint, WRONG_STATE while it is disabled.
 * Implements docs/contract.md, section 7.
 */
export function sendPendingEvents(
  { db, clock, idempotent, wakes }: Context,
  perStatement = PER_STATEMENT,
): Rpcs['sendPendingEvents'] {
  return idempotent.once(async (request, call, act) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    const recordedSince = request.recordedSince && toDate(request.recordedSince);
    const endpoint = await findEndpoint(db, accountId, environment);
    if (!endpoint) throw noEndpoint();
    const { endpointId } = endpoint;
    const answer = await act(async (tx) => {
      refuseUnlessActive(await findEndpoint(tx, accountId, environment));
      const end = performance.now() + BUDGET_MS;
      const hasTime = () => performance.now() < end;
      const made = await makeBacklogDue(tx, endpointId, { recordedSince, perStatement, hasTime });
      await auditCall(tx, call, {
        at: clock.now(),
        target: endpointId,
        accountId,
        after: {
          ...{ environment, endpointId, events: made.events },
          ...(recordedSince && { recordedSince: formatTimestamp(recordedSince) }),
        },
      });
      return made;
    });
    wakes.delivery(endpointId);
    return answer;
  });
}

function notPending(state: string) {
  return refuse(RefusalCode.WRONG_STATE, `Only pending events can be sent now. This one is ${state}.`);
}

function attemptInProgress() {
  return refuse(
    RefusalCode.WRONG_STATE,
    'An attempt is in progress or has just ended. Read the event again.',
  );
}
