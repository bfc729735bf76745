// SQL, because the statements travel with others of the transaction.
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { enqueue } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { ContactCheck } from '@supplier/proto/submission/v1/list_submissions';
import { type Contact, ContactSchema } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import { contactAad, correctionAad, otherContactAad } from '../model/associated-data.ts';
import { mergeMessages, withContact } from '../model/contact.ts';
import { bitOf, checkContact } from '../model/contact-checks.ts';
import { type Matching, statedHashes } from '../model/match-hashes.ts';
import type { SubmissionRow } from '../store/load-submissions.sql.ts';
import { openEnquiry } from '../store/submission-row.ts';

/**
 * Makes the customer stated by a promotion the working contact of a locked submission. Fields it does not state are
 * kept, and `contactChecks` are those of the merged enquiry. The revision counts only corrections. Searches find the
 * person by both. Costs no round trip.
 * Implements docs/contract.md, section 2.
 */
export function savePromotedContact(
  tx: pg.PoolClient,
  matching: Matching,
  row: SubmissionRow,
  { firstName, lastName, telephone, email, preferredContactMethod }: Enquiry,
  contactChecks: number,
): void {
  const { keyRing } = matching;
  const stated = create(ContactSchema, { firstName, lastName, telephone, email, preferredContactMethod });
  const contact = mergedContact(keyRing, row, stated);
  noteOtherContact(tx, matching, row.id, PROMOTED, stated);
  enqueue(tx, {
    name: 'save-promoted-contact',
    text: 'UPDATE submission SET contact = $2, contact_checks = $3 WHERE id = $1',
    values: [row.id, keyRing.seal(toBinary(ContactSchema, contact), contactAad(row.id)), contactChecks],
  });
}

/**
 * Corrects the working contact of a locked submission: increments its revision and adds the correction to the contact
 * history, which the Application shares. Both are sealed, and searches find the person by both. Implements
 * docs/contract.md, section 10.
 */
export async function saveContact(
  tx: pg.PoolClient,
  matching: Matching,
  row: SubmissionRow,
  correction: Contact,
  at: Date,
): Promise<void> {
  const { keyRing } = matching;
  const { id } = row;
  const revision = row.revision + 1;
  const aad = contactAad(id);
  const contact = mergedContact(keyRing, row, correction);
  noteOtherContact(tx, matching, id, revision, correction);
  await tx.query({
    name: 'save-contact',
    text: `WITH corrected AS (UPDATE submission SET revision = $2, contact = $3, contact_checks = $6 | (contact_checks & $7) WHERE id = $1)
           INSERT INTO contact_correction (submission_id, revision, corrected_at, contact) VALUES ($1, $2, $4, $5)`,
    values: [
      id,
      revision,
      keyRing.seal(toBinary(ContactSchema, contact), aad),
      at,
      keyRing.seal(toBinary(ContactSchema, correction), correctionAad(id, revision)),
      checkContact(withContact(openEnquiry(keyRing, row), contact), row.received_at),
      bitOf(ContactCheck.CAPTURE_TIME),
    ],
  });
}

export function mergedContact(keyRing: KeyRing, { id, contact }: SubmissionRow, stated: Contact): Contact {
  if (!contact) return stated;
  const before = fromBinary(ContactSchema, keyRing.open(contact, contactAad(id)));
  return mergeMessages(ContactSchema, before, stated);
}

/** Used instead of the revision of a correction. */
const PROMOTED = 0;

/**
 * Records the contact details of a correction or promotion, so that searches also find the person by them. Does nothing
 * without a telephone number or email. Enqueued in the transaction, so it costs no extra round trip.
 */
function noteOtherContact(
  tx: pg.PoolClient,
  matching: Matching,
  submissionId: SubmissionId,
  revision: number,
  { telephone, email }: Contact,
): void {
  const { keyRing, matchRule } = matching;
  if (telephone === undefined && email === undefined) return;
  const contact = { telephone, email };
  const { telephoneHash, emailHash } = statedHashes(matching, contact);
  enqueue(tx, {
    name: 'note-other-contact',
    text: `INSERT INTO other_contact (submission_id, revision, contact, match_digest_key, match_rule, telephone_hash, email_hash)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      submissionId,
      revision,
      keyRing.seal(
        toBinary(ContactSchema, create(ContactSchema, contact)),
        otherContactAad(submissionId, revision),
      ),
      keyRing.digestKeyId,
      matchRule.id,
      telephoneHash,
      emailHash,
    ],
  });
}
