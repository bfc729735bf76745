import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { enqueue } from '@supplier/lib/data/postgres';
import type { Enquiry } from '@supplier/proto/common/v1/enquiry';
import { ContactCheck } from '@supplier/proto/submission/v1/list_submissions';
import { type Contact, ContactSchema } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import { contactAad, correctionAad } from '../model/associated-data.ts';
import { mergeMessages, withContact } from '../model/contact.ts';
import { bitOf, checkContact } from '../model/contact-checks.ts';
import type { Matching } from '../model/match-hashes.ts';
import type { LeadRow } from '../store/load-leads.sql.ts';
import { openEnquiry } from '../store/submission-row.ts';
import { noteOtherContact } from './other-contact.sql.ts';

/**
 * Makes the customer stated by a promotion the working contact of a locked submission. Fields it does not state are
 * kept, and `contactChecks` are those of the merged enquiry. The revision counts only corrections. Costs no round trip.
 * Implements docs/contract.md, section 2.
 */
export function savePromotedContact(
  tx: pg.PoolClient,
  keyRing: KeyRing,
  row: LeadRow,
  { firstName, lastName, telephone, email, preferredContactMethod }: Enquiry,
  contactChecks: number,
): void {
  const stated = create(ContactSchema, {
    ...(firstName === undefined ? {} : { firstName }),
    ...(lastName === undefined ? {} : { lastName }),
    ...(telephone === undefined ? {} : { telephone }),
    ...(email === undefined ? {} : { email }),
    preferredContactMethod,
  });
  const contact = mergedContact(keyRing, row, stated);
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
  row: LeadRow,
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

function mergedContact(keyRing: KeyRing, { id, contact }: LeadRow, stated: Contact): Contact {
  if (!contact) return stated;
  const before = fromBinary(ContactSchema, keyRing.open(contact, contactAad(id)));
  return mergeMessages(ContactSchema, before, stated);
}
