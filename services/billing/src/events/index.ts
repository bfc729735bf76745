import type { EventHandler } from '@supplier/lib/event-bus';
import type { ServiceContext } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { onApplicationCreated } from './on-application-created.ts';
import { onPreUnderwritingCompleted } from './on-pre-underwriting-completed.ts';
import { onSubmissionStatusChanged } from './on-submission-status-changed.ts';

/** What billing hears of the submission service. */
export function submissionEvents(context: ServiceContext): EventHandler<Transaction>[] {
  return [
    onSubmissionStatusChanged(context),
    onApplicationCreated(context),
    onPreUnderwritingCompleted(context),
  ];
}
