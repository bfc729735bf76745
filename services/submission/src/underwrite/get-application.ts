import { fromBinary } from '@bufbuild/protobuf';
import type { AssociatedData } from '@supplier/lib/data/crypto';
import { auditCall } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import type { Context, Rpcs } from '../context.ts';
import { contactAad, correctionAad, snapshotAad } from '../model/associated-data.ts';
import { findApplication } from './find-application.ts';

/**
 * Returns the Application with its internal reasons and the applicant's data: the frozen snapshot and the contact
 * history. Every read is audited, with its purpose. Implements docs/contract.md, section 10.
 */
export function getApplication({ db, pool, keyRing, clock }: Context): Rpcs['getApplication'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const id = request.submissionId.toLowerCase() as SubmissionId;
    const row = await findApplication(db, id);
    if (!row) throw refuse(RefusalCode.NOT_FOUND, 'This submission has no Application.');
    const { submission, preUnderwritingAt } = row;
    const { accountId } = submission;
    await auditCall(pool, call, { at: clock.now(), target: id, accountId, purpose });
    const contact = (sealed: Uint8Array, aad: AssociatedData) =>
      fromBinary(ContactSchema, keyRing.open(sealed, aad));
    return {
      applicationReference: row.reference,
      submissionId: row.submissionId,
      createdAt: toTimestamp(row.createdAt),
      preUnderwriting: {
        state: row.preUnderwriting,
        ...(preUnderwritingAt ? { completedAt: toTimestamp(preUnderwritingAt) } : {}),
        policyVersion: row.preUnderwritingPolicy ?? '',
        reasons: row.preUnderwritingReasons,
        closeReason: row.closeReason ?? '',
      },
      decision: {
        policyVersion: submission.decisionPolicy ?? '',
        rule: submission.decisionRule ?? '',
        reason: submission.decisionReason ?? '',
      },
      ...(row.snapshot
        ? { snapshot: fromBinary(EnquirySchema, keyRing.open(row.snapshot, snapshotAad(id))) }
        : {}),
      ...(submission.contact ? { workingContact: contact(submission.contact, contactAad(id)) } : {}),
      contactCorrections: submission.contactCorrections.toReversed().map((correction) => ({
        revision: BigInt(correction.revision),
        correctedAt: toTimestamp(correction.correctedAt),
        ...(correction.contact
          ? { contact: contact(correction.contact, correctionAad(id, correction.revision)) }
          : {}),
      })),
    };
  };
}
