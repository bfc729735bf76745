import { type EventHandler, on } from '@supplier/lib/event-bus';
import type { SubmissionId } from '@supplier/lib/ids';
import { Level, Status } from '@supplier/proto/common/v1/status';
import { SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { mintOnAcceptance } from '../lifecycle/mint-on-acceptance.ts';

/** The acceptance of a basic submission is followed by its Application, whatever else the event of it tells. */
export function onSubmissionStatusChanged(context: Context): EventHandler<Transaction> {
  return on(SubmissionStatusChangedSchema, async ({ aggregateId, message }, applyOnce) => {
    const { submission } = message;
    if (submission?.status !== Status.ACCEPTED || submission.level !== Level.BASIC) return;
    if (submission.applicationReference !== undefined) return;
    await applyOnce((tx: Transaction) => mintOnAcceptance(context, tx, aggregateId as SubmissionId));
  });
}
