import { type EventHandler, on } from '@supplier/lib/event-bus';
import { toDate } from '@supplier/lib/time';
import { ApplicationCreatedSchema } from '@supplier/proto/submission/v1/events';
import type { ServiceContext } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { applyNews } from './apply-news.ts';
import { leadIdentity } from './lead-identity.ts';

/** The one Application of a submission exists. Implements docs/contract.md, section 6. */
export function onApplicationCreated(context: ServiceContext): EventHandler<Transaction> {
  return on(ApplicationCreatedSchema, async ({ id, aggregateId, version, message }, applyOnce) => {
    if (!message.createdAt) throw new Error('an Application says when it was created');
    const lead = leadIdentity({ ...message, aggregateId });
    const facts = [{ kind: 'application_created', at: toDate(message.createdAt) }] as const;
    await applyOnce((tx) => applyNews(context, tx, { eventId: id, version, lead, facts }));
  });
}
