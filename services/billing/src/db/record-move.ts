import { type EventId, type LedgerEntryId, newId } from '@supplier/lib/ids';
import { appendEvent, newEvent } from '@supplier/lib/outbox';
import { BillingChangedSchema } from '@supplier/proto/billing/v1/events';
import type { BillingMove } from '../domain/billing-decision.ts';
import type { Lead } from '../domain/lead.ts';
import { billingMessage } from '../messages/billing-message.ts';
import { ENVIRONMENTS } from '../messages/words.ts';
import type { Transaction } from './database.ts';

/** Why and when a lead is moved. */
export interface MoveCause {
  readonly eventId: EventId;
  readonly movedAt: Date;
}

/** Writes a lead's new state, its ledger line and, where others must be told, its event: all in `tx`. */
export async function recordMove(
  tx: Transaction,
  lead: Lead,
  move: BillingMove,
  { eventId, movedAt }: MoveCause,
): Promise<void> {
  const { submissionId, accountId, billingModel } = lead;
  const version = move.announce ? lead.version + 1n : lead.version;
  await tx.lead.update({
    where: { submissionId },
    data: { ...move.state, version },
    select: { version: true },
  });
  if (move.entry) {
    const id = newId<LedgerEntryId>();
    await tx.ledgerEntry.create({
      data: { id, submissionId, accountId, billingModel, eventId, ...move.entry },
    });
  }
  if (!move.announce) return;
  const message = {
    accountId,
    environment: ENVIRONMENTS[lead.environment],
    billing: billingMessage(billingModel, move.state),
  };
  const facts = { aggregateId: submissionId, aggregateVersion: version, occurredAt: movedAt };
  await appendEvent(tx, newEvent(BillingChangedSchema, message, facts));
}
