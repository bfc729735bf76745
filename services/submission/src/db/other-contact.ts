import { create, toBinary } from '@bufbuild/protobuf';
import type { KeyRing } from '@supplier/lib/crypto';
import type { SubmissionId } from '@supplier/lib/ids';
import { enqueue } from '@supplier/lib/postgres';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { type Contact, ContactSchema } from '@supplier/proto/submission/v1/submission';
import type pg from 'pg';
import { otherContactAad } from '../domain/associated-data.ts';
import { type MatchHashes, matchHashes } from '../domain/match-hashes.ts';
import { matchKeys } from '../domain/match-keys.ts';

/** In place of a correction's revision. */
export const PROMOTED = 0;

type Reachable = Pick<Contact, 'telephone' | 'email'>;

/** What a person is found by. Duplicates are not looked for by these: decisions stand on what was received. */
export function contactHashes(keyRing: KeyRing, { telephone, email }: Reachable): MatchHashes {
  return matchHashes(keyRing, matchKeys(create(EnquirySchema, reachable({ telephone, email }))));
}

/**
 * Notes what a correction or a promotion states, so that a person is found by it too. Does nothing where it states neither
 * telephone nor email. Part of the transaction, and costs it no round trip.
 */
export function noteOtherContact(
  tx: pg.PoolClient,
  keyRing: KeyRing,
  submissionId: SubmissionId,
  revision: number,
  stated: Reachable,
): void {
  const { telephoneHash, emailHash } = contactHashes(keyRing, stated);
  if (!telephoneHash && !emailHash) return;
  const contact = toBinary(ContactSchema, create(ContactSchema, reachable(stated)));
  enqueue(tx, {
    name: 'note-other-contact',
    text: `INSERT INTO other_contact (submission_id, revision, contact, match_digest_key, telephone_hash, email_hash)
           VALUES ($1, $2, $3, $4, $5, $6)`,
    values: [
      submissionId,
      revision,
      keyRing.seal(contact, otherContactAad(submissionId, revision)),
      keyRing.digestKeyId,
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
