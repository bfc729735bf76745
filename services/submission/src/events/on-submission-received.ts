import { type EventHandler, on } from '@supplier/lib/event-bus';
import type { SubmissionId } from '@supplier/lib/ids';
import { SubmissionReceivedSchema } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { decideAutomatically } from '../lifecycle/decide-automatically.ts';

/** A decision happens once by its own nature: a submission that is decided is left alone. */
export function onSubmissionReceived(context: Context): EventHandler<Transaction> {
  return on(SubmissionReceivedSchema, (event) =>
    decideAutomatically(context, event.aggregateId as SubmissionId),
  );
}
