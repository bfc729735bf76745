import { actorOf, auditCall } from '@supplier/lib/governance/audit';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { RpcCall } from '@supplier/lib/rpc/rpc-server';
import type { AccountId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import { formatTimestamp, toDate, toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { noEndpoint, noEvent, refuseUnlessActive, requestedEnvironment } from '../requests.ts';
import type { Transaction } from '../store/database.ts';
import { type EndpointRecord, findEndpoint } from '../store/endpoints.ts';
import { type EventRecord, findEvent } from '../store/events.ts';
import { type InRedeliveryTurn, type Redelivery, redeliverSubmission } from './index.ts';
import { findRedeliverable, type RedeliveryRange } from './redelivery.sql.ts';

/**
 * Delivers the current state of the submission of an exhausted or expired event as a new event, which replaces all
 * undelivered events of that submission. A call that is interrupted between the new event and the marking may be
 * repeated: the supplier then gets the current state again, unless both calls have the same idempotency key. NOT_FOUND
 * for an unknown event, WRONG_STATE for one that needs no redelivery or whose endpoint is not active,
 * SERVICE_UNAVAILABLE while another redelivery of the endpoint runs. Implements docs/contract.md, section 7.
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
        await auditCall(tx, call, {
          at: clock.now(),
          target: eventId,
          accountId: event.accountId,
          after: { eventId, submissionId: event.submissionId, environment: event.environment, endpointId },
        });
      });
      return redeliverSubmission(context, submissionId, endpointId, {
        ...{ by: actorOf(call), key: act.id() },
        end: (done, tx) => act.end({ redelivery: done }, tx),
      });
    });
    return { redelivery };
  });
}

/** Returns the event if it is undelivered and nothing replaces it; otherwise throws the reason. */
function redeliverable(event: EventRecord | undefined) {
  if (!event) throw noEvent();
  const { state, endpointId, redeliveredAs } = event;
  if ((state !== 'exhausted' && state !== 'expired') || !endpointId) {
    throw refuse(
      RefusalCode.WRONG_STATE,
      `Only exhausted and expired events can be redelivered. This one is ${state}.`,
    );
  }
  if (redeliveredAs) {
    throw refuse(RefusalCode.WRONG_STATE, `The event has already been redelivered as ${redeliveredAs}.`);
  }
  return { ...event, endpointId };
}

/** How many submissions one call redelivers, and how many concurrently. */
const MAX_SUBMISSIONS = 200;
const AT_ONCE = 8;
/** No more redeliveries start after this time, so that the response, with `more` set, precedes callers' timeouts. */
const BUDGET_MS = 2_000;

/**
 * Redelivers every submission with an event of the endpoint that was exhausted or expired at or after a time and that
 * nothing replaces, longest settled first: one new event for each, however many it replaces. With `delivered_until`,
 * also those with an event that was delivered in between. At most 200 per call, fewer when they take longer than two
 * seconds; if `more` is set, call again. When one fails, finished ones stay marked, no more are started, and the call
 * fails: a repeated call continues where it stopped, and with the same idempotency key sends no second event for any
 * submission. NOT_FOUND without an endpoint, WRONG_STATE while it is disabled, SERVICE_UNAVAILABLE while another
 * redelivery of it runs. Implements docs/contract.md, section 7.
 */
export function redeliverSince(context: Context, inTurn: InRedeliveryTurn): Rpcs['redeliverSince'] {
  const { db, pool, clock, idempotent } = context;
  return idempotent.resumable(async (request, call, act) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const environment = requestedEnvironment(request.environment);
    if (!request.since) throw invalid('since', 'is required');
    const since = toDate(request.since);
    const deliveredUntil = request.deliveredUntil && toDate(request.deliveredUntil);
    // Otherwise what this call sends would be redelivered by the next.
    if (deliveredUntil && deliveredUntil > clock.now())
      throw invalid('delivered_until', 'must not be in the future');
    const endpoint = await findEndpoint(db, accountId, environment);
    if (!endpoint) throw noEndpoint();
    refuseUnlessActive(endpoint);

    const { endpointId } = endpoint;
    const range = { since, deliveredUntil };
    return inTurn(endpointId, async () => {
      await act.begin((tx) => appendLine(tx, call, endpoint, { ...range, at: clock.now() }));
      const { submissionIds, more } = await findRedeliverable(pool, endpointId, range, MAX_SUBMISSIONS);
      const redeliveries = await redeliverAll(submissionIds, (submissionId) =>
        redeliverSubmission(context, submissionId, endpointId, {
          ...{ by: actorOf(call), key: act.id(), deliveredUntil },
        }),
      );
      return act.end({ redeliveries, more: more || redeliveries.length < submissionIds.length });
    });
  });
}

function appendLine(
  tx: Transaction,
  call: RpcCall,
  { accountId, environment, endpointId }: EndpointRecord,
  { at, since, deliveredUntil }: RedeliveryRange & { readonly at: Date },
): Promise<void> {
  const after = {
    ...{ environment, endpointId, since: formatTimestamp(since) },
    ...(deliveredUntil && { deliveredUntil: formatTimestamp(deliveredUntil) }),
  };
  return auditCall(tx, call, { at, target: endpointId, accountId, after });
}

/**
 * Redelivers in the given order, as many as there is time for; rejects with the first failure after all that were
 * started have ended.
 */
async function redeliverAll(
  submissionIds: readonly SubmissionId[],
  redeliver: (submissionId: SubmissionId) => Promise<Redelivery>,
): Promise<Redelivery[]> {
  const end = performance.now() + BUDGET_MS;
  const waiting = submissionIds.entries();
  const done: { index: number; redelivery: Redelivery }[] = [];
  const failures: unknown[] = [];

  async function work(): Promise<void> {
    for (const [index, submissionId] of waiting) {
      try {
        done.push({ index, redelivery: await redeliver(submissionId) });
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0 || performance.now() > end) return;
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failures.length > 0) throw failures[0];
  return done.sort((one, other) => one.index - other.index).map(({ redelivery }) => redelivery);
}

/**
 * Makes the submission service emit the current status of a submission again. The resulting event is like any other,
 * with its own time: it is recorded and delivered moments after this response. The audit entry is written first, so
 * that nothing is sent without one. NOT_FOUND for an unknown submission, WRONG_STATE without an active endpoint: then
 * nothing is emitted. A call repeated with the same idempotency key emits nothing more. Implements docs/contract.md,
 * section 7.
 */
export function sendTestEvent({ clock, ownerOf, restate, idempotent }: Context): Rpcs['sendTestEvent'] {
  return idempotent.resumable(async (request, call, act) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const owner = await ownerOf(submissionId);
    if (!owner) throw noSubmission();
    const { accountId, environment } = owner;
    await act.begin(async (tx) => {
      const endpoint = refuseUnlessActive(await findEndpoint(tx, accountId, environment));
      await auditCall(tx, call, {
        at: clock.now(),
        target: submissionId,
        accountId,
        after: { submissionId, environment, endpointId: endpoint.endpointId },
      });
    });
    const restated = await restate(submissionId, 'test', actorOf(call), act.id());
    if (!restated) throw noSubmission();
    return act.end({ eventId: restated.eventId, occurredAt: toTimestamp(restated.occurredAt) });
  });
}

function noSubmission() {
  return refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
}
