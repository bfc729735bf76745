import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/crypto';
import type { SubmissionId } from '@supplier/lib/ids';
import { type Contact, ContactSchema } from '@supplier/proto/submission/v1/submission';
import { mergeMessages } from '../domain/merge-messages.ts';
import type { Transaction } from './database.ts';
import type { Submission } from './generated/client.ts';
import { contactPlace } from './submission-row.ts';

/** Where a sealed correction lies. */
export const correctionPlace = (id: SubmissionId, revision: number) => ({
  table: 'contact_correction',
  column: 'contact',
  row: `${id}/${revision}`,
});

/**
 * Corrects the working contact of a locked submission: its revision rises by one, and the correction joins the contact
 * history, which is the Application's too. Both are sealed. Implements docs/contract.md, section 10.
 */
export async function saveContact(
  tx: Transaction,
  keyRing: KeyRing,
  row: Submission,
  correction: Contact,
  at: Date,
): Promise<void> {
  const id = row.id as SubmissionId;
  const revision = row.revision + 1;
  const place = contactPlace(id);
  const contact = row.contact
    ? mergeMessages(ContactSchema, fromBinary(ContactSchema, keyRing.open(row.contact, place)), correction)
    : correction;
  await tx.submission.update({
    where: { id },
    data: { revision, contact: keyRing.seal(toBinary(ContactSchema, contact), place) },
    select: { id: true },
  });
  await tx.contactCorrection.create({
    data: {
      submissionId: id,
      revision,
      correctedAt: at,
      contact: keyRing.seal(toBinary(ContactSchema, correction), correctionPlace(id, revision)),
    },
    select: { revision: true },
  });
}
