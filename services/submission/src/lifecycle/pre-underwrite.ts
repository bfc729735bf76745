import { fromBinary } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/ids';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { PreUnderwritingFailure } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { Context } from '../context.ts';
import type { Transaction } from '../db/database.ts';
import { snapshotPlace } from '../db/insert-application.ts';
import { lockSubmission } from '../db/lock-submission.ts';
import { openSubmission } from '../db/submission-row.ts';
import type { PreUnderwritingResult } from '../domain/pre-underwriting-policy.ts';
import { simulationOf } from '../domain/sandbox-simulation.ts';
import { type OpenSubmission, timeOfChange } from '../domain/submission.ts';
import { finishPreUnderwriting } from './finish-pre-underwriting.ts';
import { returnLead } from './return-lead.ts';

/**
 * Runs pre-underwriting on a submission's Application, once. What does not clear is returned in the same transaction,
 * or waits for staff where the account's terms say so. Implements docs/contract.md, section 5.
 */
export async function preUnderwrite(context: Context, tx: Transaction, id: SubmissionId): Promise<void> {
  const row = await lockSubmission(tx, id);
  const application = await tx.application.findUnique({ where: { submissionId: id } });
  if (!row || row.status !== Status.ACCEPTED || !application?.snapshot) return;
  if (application.preUnderwriting !== PreUnderwritingState.PENDING || application.preUnderwritingAt) return;

  const submission = openSubmission(row, context.keyRing);
  const snapshot = fromBinary(EnquirySchema, context.keyRing.open(application.snapshot, snapshotPlace(id)));
  const { policyVersion, failure } = assess(context, submission, snapshot);
  const queued =
    failure !== undefined &&
    submission.terms.preUnderwritingFailure === PreUnderwritingFailure.QUEUE_FOR_STAFF;
  const at = timeOfChange(submission, context.clock.now());
  const assessment = {
    preUnderwritingPolicy: policyVersion,
    preUnderwritingReasons: failure ? [failure.rule] : [],
  };
  if (queued) {
    await tx.application.update({
      where: { id: application.id },
      data: { preUnderwritingAt: at, ...assessment },
      select: { id: true },
    });
    return;
  }
  const outcome = failure ? PreUnderwritingState.NOT_CLEARED : PreUnderwritingState.CLEARED;
  const told = await finishPreUnderwriting(tx, submission, outcome, at, assessment);
  if (failure) await returnLead(context, tx, told, failure.category);
}

function assess(context: Context, submission: OpenSubmission, snapshot: Enquiry): PreUnderwritingResult {
  const simulation = simulationOf(submission.environment, snapshot.businessName);
  if (simulation?.kind !== 'return') return context.preUnderwritingPolicy.assess(snapshot);
  return { policyVersion: 'sandbox', failure: { rule: 'simulation', category: simulation.category } };
}
