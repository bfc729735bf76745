// SQL, because the statement travels with others of the transaction.
import { toBinary } from '@bufbuild/protobuf';
import { enqueue } from '@supplier/lib/data/postgres';
import { Status } from '@supplier/proto/common/v1/status';
import { type Contact, ContactSchema } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import { identifyingAad } from '../model/associated-data.ts';
import { withContact } from '../model/contact.ts';
import { hasHash, type Matching, statedHashes } from '../model/match-hashes.ts';
import type { SubmissionRow } from '../store/load-submissions.sql.ts';
import { openEnquiry } from '../store/submission-row.ts';
import { mergedContact } from './save-contact.sql.ts';

/**
 * Gives a locked submission without any match key those of its corrected contact, and leaves it to policy unless staff
 * decide for its account. Later corrections don't change them, or a supplier could free a customer that it was accepted
 * for. Returns whether the submission got one. Costs no round trip. Implements docs/contract.md, section 5.
 */
export function addFirstKeys(
  tx: pg.PoolClient,
  matching: Matching,
  row: SubmissionRow,
  correction: Contact,
  awaitsStaff: boolean,
): boolean {
  if (!row.unidentified || row.identifying !== null || row.status !== Status.RECEIVED) return false;
  const { keyRing, matchRule } = matching;
  const contact = mergedContact(keyRing, row, correction);
  const hashes = statedHashes(matching, withContact(openEnquiry(keyRing, row), contact));
  if (!hasHash(hashes)) return false;
  enqueue(tx, {
    name: 'add-first-keys',
    text: `UPDATE submission
              SET identifying = $2, company_hash = $3, telephone_hash = $4, email_hash = $5, match_digest_key = $6,
                  match_rule = $7, awaits_staff = $8, work_due_at = clock_timestamp()
            WHERE id = $1`,
    values: [
      row.id,
      keyRing.seal(toBinary(ContactSchema, contact), identifyingAad(row.id)),
      hashes.companyHash,
      hashes.telephoneHash,
      hashes.emailHash,
      keyRing.digestKeyId,
      matchRule.id,
      awaitsStaff,
    ],
  });
  return true;
}
