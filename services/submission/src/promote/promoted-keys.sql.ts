// SQL, because the statement travels with others of the transaction.
import { create, toBinary } from '@bufbuild/protobuf';
import { enqueue } from '@supplier/lib/data/postgres';
import { type Enquiry, EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import type pg from 'pg';
import { promotedKeysAad } from '../model/associated-data.ts';
import { type Matching, statedHashes } from '../model/match-hashes.ts';
import type { SubmissionRow } from '../store/load-submissions.sql.ts';

/**
 * Adds the match keys stated by a promotion, which are compared with submissions received after `promotedAt`, within
 * the window from then. Enqueued in the transaction, so it costs no extra round trip. Implements docs/contract.md,
 * section 5.
 */
export function addPromotedKeys(
  tx: pg.PoolClient,
  matching: Matching,
  { id, environment }: Pick<SubmissionRow, 'id' | 'environment'>,
  promotedAt: Date,
  { companyNumber, telephone, email }: Enquiry,
): void {
  const { keyRing, matchRule } = matching;
  const stated = { companyNumber, telephone, email };
  const { companyHash, telephoneHash, emailHash } = statedHashes(matching, stated);
  enqueue(tx, {
    name: 'add-promoted-keys',
    text: `INSERT INTO promoted_keys (submission_id, environment, promoted_at, stated, match_digest_key, match_rule,
                                      company_hash, telephone_hash, email_hash)
           VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    values: [
      id,
      environment,
      promotedAt,
      keyRing.seal(toBinary(EnquirySchema, create(EnquirySchema, stated)), promotedKeysAad(id)),
      keyRing.digestKeyId,
      matchRule.id,
      companyHash,
      telephoneHash,
      emailHash,
    ],
  });
}
