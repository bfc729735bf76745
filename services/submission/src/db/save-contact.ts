import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Contact, ContactSchema } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import { contactAad, correctionAad } from '../domain/associated-data.ts';
import type { Matching } from '../domain/match-hashes.ts';
import { mergeMessages } from '../domain/merge-messages.ts';
import type { LeadRow } from './load-leads.ts';
import { noteOtherContact } from './other-contact.ts';

/**
 * Corrects the working contact of a locked submission: its revision rises by one, and the correction joins the contact
 * history, which is the Application's too. Both are sealed, and the person is found by both. Implements docs/contract.md, section 10.
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
  const contact = row.contact
    ? mergeMessages(ContactSchema, fromBinary(ContactSchema, keyRing.open(row.contact, aad)), correction)
    : correction;
  noteOtherContact(tx, matching, id, revision, correction);
  await tx.query({
    name: 'save-contact',
    text: `WITH corrected AS (UPDATE submission SET revision = $2, contact = $3 WHERE id = $1)
           INSERT INTO contact_correction (submission_id, revision, corrected_at, contact) VALUES ($1, $2, $4, $5)`,
    values: [
      id,
      revision,
      keyRing.seal(toBinary(ContactSchema, contact), aad),
      at,
      keyRing.seal(toBinary(ContactSchema, correction), correctionAad(id, revision)),
    ],
  });
}
