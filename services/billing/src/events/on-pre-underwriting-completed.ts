import { type EventHandler, on } from '@supplier/lib/event-bus';
import { toDate } from '@supplier/lib/time';
import {
  type PreUnderwritingCompleted,
  PreUnderwritingCompletedSchema,
} from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { ServiceContext } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import type { LeadFact } from '../domain/billing-decision.ts';
import { applyNews } from './apply-news.ts';
import { leadIdentity } from './lead-identity.ts';

/** Pre-underwriting has come to an end, well or not. Implements docs/contract.md, section 6. */
export function onPreUnderwritingCompleted(context: ServiceContext): EventHandler<Transaction> {
  return on(PreUnderwritingCompletedSchema, async ({ id, aggregateId, version, message }, applyOnce) => {
    const lead = leadIdentity({ ...message, aggregateId });
    const facts = factsOf(message);
    await applyOnce((tx) => applyNews(context, tx, { eventId: id, version, lead, facts }));
  });
}

/** A lead that is not cleared is returned, or waits for staff: neither is billing's to say. */
function factsOf({ state, completedAt }: PreUnderwritingCompleted): LeadFact[] {
  switch (state) {
    case PreUnderwritingState.CLEARED:
      if (!completedAt) throw new Error('pre-underwriting says when it was completed');
      return [{ kind: 'pre_underwriting_cleared', at: toDate(completedAt) }];
    case PreUnderwritingState.NOT_CLEARED:
      return [];
    case PreUnderwritingState.PENDING:
    case PreUnderwritingState.UNSPECIFIED:
      throw new Error('pre-underwriting that is completed has a result');
  }
}
