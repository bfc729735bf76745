import { create, toBinary } from '@bufbuild/protobuf';
import { enqueue } from '@supplier/lib/data/postgres';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { type Contact, ContactSchema } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import { otherContactAad } from '../model/associated-data.ts';
import { type Matching, statedHashes } from '../model/match-hashes.ts';

/** Used instead of the revision of a correction. */
export const PROMOTED = 0;

type Reachable = Pick<Contact, 'telephone' | 'email'>;

/**
 * Records the contact details of a correction or promotion, so that searches also find the person by them. Does nothing
 * without a telephone number or email. Enqueued in the transaction, so it costs no extra round trip.
 */
export function noteOtherContact(
  tx: pg.PoolClient,
  matching: Matching,
  submissionId: SubmissionId,
  revision: number,
  stated: Reachable,
): void {
  const { keyRing, matchRule } = matching;
  const contact = reachable(stated);
  if (Object.keys(contact).length === 0) return;
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

function reachable({ telephone, email }: Reachable): Partial<Reachable> {
  return {
    ...(telephone === undefined ? {} : { telephone }),
    ...(email === undefined ? {} : { email }),
  };
}
