import type { ServiceContext } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { hearOfLead } from '../db/hear-of-lead.ts';
import { recordMove } from '../db/record-move.ts';
import { decideBilling } from '../domain/billing-decision.ts';
import type { LeadNews } from '../domain/lead.ts';

/**
 * Moves a lead by what an event says of it, in the transaction in which the event is noted as applied. News that
 * moves nothing is remembered all the same: billing has heard of the lead then.
 */
export async function applyNews({ clock }: ServiceContext, tx: Transaction, news: LeadNews): Promise<void> {
  const lead = await hearOfLead(tx, news);
  for (const fact of news.facts) {
    const move = decideBilling(lead.billingModel, lead, fact);
    // One event moves a lead at most once: of its facts only one can be the one that the lead's model waits for.
    if (move) return recordMove(tx, lead, move, { eventId: news.eventId, movedAt: clock.now() });
  }
}
