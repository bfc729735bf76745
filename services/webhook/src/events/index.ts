import type { EventHandler } from '@supplier/lib/event-bus';
import type { ServiceContext } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { onSubmissionStatusChanged } from './on-submission-status-changed.ts';

/** What the webhook service hears of the submission service. */
export function submissionEvents(context: ServiceContext): EventHandler<Transaction>[] {
  return [onSubmissionStatusChanged(context)];
}
