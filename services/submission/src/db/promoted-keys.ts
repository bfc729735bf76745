import { create, toBinary } from '@bufbuild/protobuf';
import type { SubmissionId } from '@supplier/lib/ids';
import { enqueue } from '@supplier/lib/postgres';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import type pg from 'pg';
import { promotedKeysAad } from '../domain/associated-data.ts';
import { type Matching, statedHashes } from '../domain/match-hashes.ts';

/**
 * Adds what a promotion states of its customer to what later submissions are compared with. Part of the transaction, and
 * costs it no round trip. Implements docs/contract.md, section 5.
 */
export function addPromotedKeys(
  tx: pg.PoolClient,
  matching: Matching,
  submissionId: SubmissionId,
  { companyNumber, telephone, email }: Enquiry,
): void {
  const { keyRing, matchRule } = matching;
  const stated = {
    ...(companyNumber === undefined ? {} : { companyNumber }),
    ...(telephone === undefined ? {} : { telephone }),
    ...(email === undefined ? {} : { email }),
  };
  const { companyHash, telephoneHash, emailHash } = statedHashes(matching, stated);
  enqueue(tx, {
    name: 'add-promoted-keys',
    text: `INSERT INTO promoted_keys (submission_id, stated, match_digest_key, match_rule, company_hash, telephone_hash, email_hash)
           VALUES ($1, $2, $3, $4, $5, $6, $7)`,
    values: [
      submissionId,
      keyRing.seal(toBinary(EnquirySchema, create(EnquirySchema, stated)), promotedKeysAad(submissionId)),
      keyRing.digestKeyId,
      matchRule.id,
      companyHash,
      telephoneHash,
      emailHash,
    ],
  });
}
