import type { EventHandler } from '@supplier/lib/event-bus';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { onApplicationCreated } from './on-application-created.ts';
import { onBillingChanged } from './on-billing-changed.ts';
import { onSubmissionReceived } from './on-submission-received.ts';
import { onSubmissionStatusChanged } from './on-submission-status-changed.ts';

/** What this service does on its own events. */
export function ownHandlers(context: Context): EventHandler<Transaction>[] {
  return [onSubmissionReceived(context), onSubmissionStatusChanged(context), onApplicationCreated(context)];
}

/** What this service does on the events of billing. */
export function billingHandlers(context: Context): EventHandler<Transaction>[] {
  return [onBillingChanged(context)];
}
