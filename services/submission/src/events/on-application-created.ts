import { type EventHandler, on } from '@supplier/lib/event-bus';
import type { SubmissionId } from '@supplier/lib/ids';
import { ApplicationCreatedSchema } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { preUnderwrite } from '../lifecycle/pre-underwrite.ts';

/** A new Application goes through pre-underwriting. */
export function onApplicationCreated(context: Context): EventHandler<Transaction> {
  return on(ApplicationCreatedSchema, async (event, applyOnce) => {
    await applyOnce((tx: Transaction) => preUnderwrite(context, tx, event.aggregateId as SubmissionId));
  });
}
