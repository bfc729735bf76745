import { appendEvent } from '@supplier/lib/outbox';
import type { Transaction } from './database.ts';
import type { NewSubmission } from './insert-submissions.ts';

/**
 * Records a submission and its event in a transaction that goes on to decide it. Waits for another transaction that is
 * recording the same reference; resolves to false when the reference is taken.
 */
export async function insertSubmissionIn(tx: Transaction, submission: NewSubmission): Promise<boolean> {
  const { state } = submission;
  const { count } = await tx.submission.createMany({
    data: {
      id: state.id,
      accountId: state.accountId,
      environment: state.environment,
      externalReference: state.externalReference,
      level: state.level,
      status: state.status,
      awaitsStaff: state.awaitsStaff,
      receivedAt: state.receivedAt,
      billingModel: state.billing.model,
      billingStatus: state.billing.status,
      notBillableReason: state.billing.notBillableReason,
      changedAt: state.changedAt,
      version: state.version,
      bodyDigest: submission.bodyDigest,
      applicationMinting: submission.applicationMinting,
      terms: submission.terms,
      enquiry: submission.sealedEnquiry,
      companyHash: submission.companyHash,
      telephoneHash: submission.telephoneHash,
      emailHash: submission.emailHash,
    },
    skipDuplicates: true,
  });
  if (count === 0) return false;
  await appendEvent(tx, submission.event);
  return true;
}
