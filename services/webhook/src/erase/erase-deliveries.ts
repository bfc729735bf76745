import { type AuditEntry, appendAudit, auditEntry, onBehalfOf } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { EndpointId, EventId, SubmissionId } from '@supplier/lib/text/ids';
import type { PoolClient } from 'pg';
import type { Context, Rpcs } from '../context.ts';
import { interrupted } from '../model/attempt.ts';
import { withoutLink } from '../model/envelope.ts';
import { redeliverSubmission } from '../redeliver/index.ts';
import type { Database } from '../store/database.ts';
import { bodyAad } from '../store/sealed-values.ts';
import { settleAttempts } from '../store/settle-attempts.sql.ts';
import { type ErasedDeliveries, eraseDeliveriesOf, findAttemptsUnderWay } from './erase-deliveries.sql.ts';

/** Maximum number of tries when attempts begin while an earlier one is being abandoned. */
const MAX_TRIES = 3;

/**
 * Erases personal data in the deliveries of a submission: links in bodies, and receivers' responses. An attempt in
 * progress is abandoned as interrupted; if it arrives anyway, it counts. The supplier still receives every change: a
 * body that was not sent yet is sent without its link, and one that was sent is replaced by a new event. Repeating it
 * changes nothing. SERVICE_UNAVAILABLE while attempts keep beginning, and while the submission service is unavailable.
 * Implements docs/contract.md, sections 7 and 10.
 */
export function eraseDeliveries(context: Context): Rpcs['eraseDeliveries'] {
  const { db } = context;
  return async (request, call) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const entryOf = (after: ErasedDeliveries) => {
      const act = { at: context.clock.now(), target: submissionId, after, purpose: request.purpose };
      return onBehalfOf(request.requester, auditEntry(call, act));
    };
    await eraseAll(context, submissionId, entryOf);
    for (const endpointId of await findCutShort(db, submissionId))
      await redeliverSubmission(context, submissionId, endpointId);
    const events = await db.event.count({ where: { submissionId, bodyErasedAt: { not: null } } });
    const attempts = await db.attempt.count({
      where: { event: { submissionId }, answerErasedAt: { not: null } },
    });
    return { eventsErased: BigInt(events), attemptsErased: BigInt(attempts) };
  };
}

async function eraseAll(
  { pool, keyRing }: Context,
  submissionId: SubmissionId,
  entryOf: (after: ErasedDeliveries) => AuditEntry,
): Promise<void> {
  const sealWithoutLink = (eventId: EventId, sealed: Uint8Array) => {
    const body = withoutLink(keyRing.open(sealed, bodyAad(eventId)));
    return body && keyRing.seal(body, bodyAad(eventId));
  };
  const record = async (tx: PoolClient, after: ErasedDeliveries) => {
    if (after.events + after.attempts === 0) return;
    await appendAudit(tx, entryOf(after));
  };
  for (let tries = 0; tries < MAX_TRIES; tries += 1) {
    const underWay = await findAttemptsUnderWay(pool, submissionId);
    if (underWay.length > 0)
      await settleAttempts(
        pool,
        underWay.map((attempt) => interrupted(attempt, attempt.now, Math.random)),
      );
    if (await eraseDeliveriesOf(pool, submissionId, sealWithoutLink, record)) return;
  }
  throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Deliveries of this submission are in progress. Try again.');
}

/** Returns the enabled endpoints that need a new event because erasure ended a delivery in progress to them. */
async function findCutShort(db: Database, submissionId: SubmissionId): Promise<EndpointId[]> {
  const rows = await db.event.findMany({
    where: {
      submissionId,
      state: 'expired',
      redeliveredAs: null,
      settledAt: { equals: db.event.fields.bodyErasedAt },
      endpoint: { enabled: true },
    },
    distinct: ['endpointId'],
    select: { endpointId: true },
  });
  return rows.map((row) => row.endpointId as EndpointId);
}
