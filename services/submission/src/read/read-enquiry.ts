import { auditCall, refuseUnlessMasked } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { maskedContact } from '../model/masked-contact.ts';
import { submissionNotFound } from '../refusals.ts';
import { openEnquiry, openWorkingEnquiry } from '../store/submission-row.ts';

/**
 * Returns the enquiry as received and the current contact, or only the masked contact. Audited with its purpose before
 * any data is opened. Throws VALIDATION_ERROR without a purpose, PERMISSION_DENIED (FORBIDDEN) for a viewer who does
 * not request the masked form, NOT_FOUND, and WRONG_STATE after the data has been erased. Implements docs/contract.md,
 * section 10.
 */
export function readEnquiry({ db, pool, keyRing, clock }: Context): Rpcs['readEnquiry'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    refuseUnlessMasked(request, call);
    const { masked } = request;
    const id = request.submissionId.toLowerCase() as SubmissionId;
    const row = await db.submission.findUnique({
      where: { id },
      select: { accountId: true, enquiry: true, contact: true, revision: true },
    });
    if (!row) throw submissionNotFound();
    if (row.enquiry === null) throw erased();

    const entry = { at: clock.now(), target: id, accountId: row.accountId, after: { masked }, purpose };
    await auditCall(pool, call, entry);
    const present = openWorkingEnquiry(keyRing, { id, ...row });
    if (masked) return { masked: maskedContact(present) };
    const { firstName = '', lastName = '', telephone = '', email = '', preferredContactMethod } = present;
    const contact = { firstName, lastName, telephone, email, preferredContactMethod };
    return {
      enquiry: openEnquiry(keyRing, { id, ...row }),
      contact: { ...contact, revision: BigInt(row.revision) },
    };
  };
}

function erased() {
  return refuse(RefusalCode.WRONG_STATE, "The applicant's data has been erased.");
}
