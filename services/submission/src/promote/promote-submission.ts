import { create } from '@bufbuild/protobuf';
import { inTransaction } from '@supplier/lib/data/postgres';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { requirePrincipal } from '@supplier/lib/rpc/rpc-server';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { BillingStatus, Level, NotBillableReason, Status } from '@supplier/proto/common/v1/status';
import type { PromoteSubmissionRequest } from '@supplier/proto/submission/v1/promote_submission';
import type { Context, Rpcs } from '../context.ts';
import { savePromotedContact, submissionOfSupplier } from '../correct/index.ts';
import { transitionInputs } from '../decide/index.ts';
import { statusWithHandoff } from '../journey/index.ts';
import { mergeMessages } from '../model/contact.ts';
import { checkContact } from '../model/contact-checks.ts';
import { missingFields } from '../model/required-fields.ts';
import { simulationOf } from '../model/sandbox-simulation.ts';
import { mintOnly } from '../model/transitions.ts';
import { idempotencyConflict, refuseSubmission } from '../refusals.ts';
import { type SubmissionRow, submissionOf } from '../store/load-submissions.sql.ts';
import { claimOperationKey, PROMOTION } from '../store/operation-key.sql.ts';
import { saveSubmissions } from '../store/save-submissions.sql.ts';
import { openWorkingEnquiry } from '../store/submission-row.ts';
import { addPromotedKeys } from './promoted-keys.sql.ts';

/**
 * Promotes an accepted basic submission to its only Application, whose snapshot is the original enquiry with the stated
 * fields of the promotion replaced. The submission stays locked throughout, so that exactly one of the promotions and
 * the mint after an acceptance creates the Application; the level does not change. The customer stated by the promotion
 * becomes the working contact, and later submissions are compared with it; the promoted submission is not decided
 * again. Repeating a key with the same body returns the submission's current state. Implements docs/contract.md,
 * section 2.
 */
export function promoteSubmission(context: Context): Rpcs['promoteSubmission'] {
  return async (request, call) => {
    const principal = requirePrincipal(call);
    const submissionId = request.submissionId.toLowerCase() as SubmissionId;
    const enquiry = parsePromotion(request);
    if (simulationOf(principal.environment, enquiry.businessName)?.kind === 'unavailable') {
      throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'The service is temporarily unavailable.');
    }
    const { operationIdempotencyKey: key, bodyFingerprint } = request;
    const use = { operation: PROMOTION, key, submissionId, bodyFingerprint } as const;
    const status = await inTransaction(context.pool, async (tx) => {
      const row = await submissionOfSupplier(tx, principal, submissionId);
      const claim = await claimOperationKey(tx, context.keyRing, principal, use, context.clock.now());
      const submission = submissionOf(row);
      if (claim === 'repeated') return statusWithHandoff(context, tx, submission.state);
      if (claim === 'conflict') throw idempotencyConflict();
      refuseUnlessPromotable(row);
      const known = openWorkingEnquiry(context.keyRing, row);
      const snapshot = mergeMessages(EnquirySchema, known, enquiry);
      const promoted = mintOnly(submission, snapshot, transitionInputs(context));
      savePromotedContact(tx, context, row, enquiry, checkContact(snapshot, context.clock.now()));
      // Sandbox simulations are never matched.
      const isSimulated = [known, enquiry].some(({ businessName }) =>
        simulationOf(row.environment, businessName),
      );
      if (!isSimulated) addPromotedKeys(tx, context, row, context.clock.now(), enquiry);
      saveSubmissions(tx, context.keyRing, [promoted]);
      return statusWithHandoff(context, tx, promoted.state);
    });
    context.wakes.relay();
    context.wakes.unassessed();
    return status;
  };
}

function parsePromotion({ enquiry = create(EnquirySchema) }: PromoteSubmissionRequest): Enquiry {
  const violations = missingFields('promotion', enquiry).map((path) => ({ path, message: 'is required' }));
  if (violations.length > 0) {
    throw refuse(RefusalCode.VALIDATION_ERROR, 'The promotion is incomplete.', { violations });
  }
  return enquiry;
}

function refuseUnlessPromotable(row: SubmissionRow): void {
  if (row.level !== Level.BASIC || row.status !== Status.ACCEPTED) {
    throw refuseSubmission('must be an accepted basic submission');
  }
  if (row.application_reference !== null) {
    throw refuse(RefusalCode.CONCURRENT_PROMOTION, 'The submission already has an Application.', {
      applicationReference: row.application_reference,
    });
  }
  // For an accepted submission that was never returned, this means that staff closed it. The sandbox never bills anything.
  const { billing_status: billing, not_billable_reason: reason } = row;
  if (billing === BillingStatus.NOT_BILLABLE && reason !== NotBillableReason.SANDBOX) {
    throw refuseSubmission('must be a submission whose billing has not been closed');
  }
}
