import { inTransaction } from '@supplier/lib/data/postgres';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { requirePrincipal } from '@supplier/lib/rpc/rpc-server';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { type Enquiry, PreferredContactMethod } from '@supplier/proto/common/v1/enquiry';
import { DecisionMode } from '@supplier/proto/common/v1/principal';
import { Level, Status } from '@supplier/proto/common/v1/status';
import type { Contact, CorrectContactRequest } from '@supplier/proto/submission/v1/submission';
import type { Context, Rpcs } from '../context.ts';
import { decidedInTurn } from '../decide/index.ts';
import { statusWithHandoff } from '../journey/index.ts';
import { statesContact } from '../model/contact.ts';
import { idempotencyConflict, refuseSubmission } from '../refusals.ts';
import type { SubmissionRow } from '../store/load-submissions.sql.ts';
import { CONTACT_CORRECTION, claimOperationKey } from '../store/operation-key.sql.ts';
import { openWorkingEnquiry, stateOf, termsOf } from '../store/submission-row.ts';
import { addFirstKeys } from './first-keys.sql.ts';
import { submissionOfSupplier } from './index.ts';
import { saveContact } from './save-contact.sql.ts';

const CONTACT_FIELDS = ['first_name', 'last_name', 'telephone', 'email', 'preferred_contact_method'];

/**
 * Corrects working contact fields of a basic submission that is received or accepted. `expected_revision` must equal
 * the number of corrections so far; each applied correction adds one. An existing Application's snapshot does not
 * change, and neither do the match keys, because the decision was based on them. Only a submission that waits for lack of
 * any gets those of its corrected contact, and is then decided like any other. Repeating a key with the same body
 * returns the submission's current state. Implements docs/contract.md, section 2.
 */
export function correctContact(context: Context): Rpcs['correctContact'] {
  return async (request, call) => {
    const principal = requirePrincipal(call);
    const submissionId = request.submissionId.toLowerCase() as SubmissionId;
    const contact = parseContact(request);
    const { operationIdempotencyKey: key, bodyFingerprint, expectedRevision } = request;
    const use = { operation: CONTACT_CORRECTION, key, submissionId, bodyFingerprint } as const;
    const { status, undecided } = await inTransaction(context.pool, async (tx) => {
      const now = context.clock.now();
      const row = await submissionOfSupplier(tx, principal, submissionId);
      const claim = await claimOperationKey(tx, context.keyRing, principal, use, now);
      if (claim === 'conflict') throw idempotencyConflict();
      if (claim === 'fresh') {
        refuseUnlessCorrectable(row);
        refuseUnlessCurrent(row, expectedRevision);
        refuseUnlessReachable(openWorkingEnquiry(context.keyRing, row), contact);
        await saveContact(tx, context, row, contact, now);
        const awaitsStaff = termsOf(row.terms).decisionMode === DecisionMode.STAFF;
        if (addFirstKeys(tx, context, row, contact, awaitsStaff) && !awaitsStaff)
          return { undecided: stateOf(row), status: undefined };
      }
      return { undecided: undefined, status: await statusWithHandoff(context, tx, stateOf(row)) };
    });
    return status ?? statusWithHandoff(context, context.pool, await decidedInTurn(context, undecided));
  };
}

function parseContact({ contact }: CorrectContactRequest): Contact {
  if (statesContact(contact)) return contact;
  throw refuse(RefusalCode.VALIDATION_ERROR, 'A correction must have at least one contact field.', {
    violations: CONTACT_FIELDS.map((path) => ({
      path,
      message: 'this or another contact field is required',
    })),
  });
}

function refuseUnlessCorrectable({ level, status }: SubmissionRow): void {
  if (level !== Level.BASIC || (status !== Status.RECEIVED && status !== Status.ACCEPTED)) {
    throw refuseSubmission('must be a basic submission that is received or accepted');
  }
}

function refuseUnlessCurrent({ revision }: SubmissionRow, expected: bigint): void {
  if (expected === BigInt(revision)) return;
  throw refuse(RefusalCode.REVISION_CONFLICT, 'The contact has changed since that revision.', {
    currentRevision: BigInt(revision),
  });
}

/** As on create, email cannot be the preferred contact method without an email address. */
function refuseUnlessReachable(known: Enquiry, { preferredContactMethod, email }: Contact): void {
  if (preferredContactMethod !== PreferredContactMethod.EMAIL || (email ?? known.email) !== undefined) return;
  throw refuse(RefusalCode.VALIDATION_ERROR, 'The correction is incomplete.', {
    violations: [{ path: 'email', message: 'is required' }],
  });
}
