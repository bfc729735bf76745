import { fromBinary } from '@bufbuild/protobuf';
import { rotatedTable, type ValuesOf } from '@supplier/lib/data/key-rotation';
import type { SubmissionId } from '@supplier/lib/text/ids';
import { EnquirySchema } from '@supplier/proto/common/v1/enquiry';
import { ContactSchema } from '@supplier/proto/submission/v1/submission';
import {
  contactAad,
  correctionAad,
  enquiryAad,
  fingerprintAad,
  identifyingAad,
  operationFingerprintAad,
  otherContactAad,
  promotedKeysAad,
  snapshotAad,
  tokenAad,
} from '../model/associated-data.ts';
import { withContact } from '../model/contact.ts';
import { statedHashes } from '../model/match-hashes.ts';
import { matchRule } from '../model/match-keys.ts';
import { tokenDigest } from './journey-link-row.ts';
import { operationBytes } from './operation-key.sql.ts';

/**
 * Digests that were not stored are not added, so the list of excluded values is not needed here. A digest from an
 * earlier rule is recomputed with the current one, and its row is still due for renewal.
 */
const RULE = matchRule();

interface SubmissionValues {
  readonly id: SubmissionId;
}

interface OperationValues {
  readonly account_id: string;
  readonly environment: number;
  readonly operation: number;
  readonly key: string;
  readonly submission_id: SubmissionId;
}

/** All tables of this service with sealed values or keyed digests. Add new columns of these kinds here. */
export const rotatedTables: ValuesOf = ({ pool, ring }) => [
  rotatedTable<SubmissionValues>(pool, ring, {
    table: 'submission',
    key: { id: 'uuid' },
    sealed: {
      enquiry: ({ id }) => enquiryAad(id),
      contact: ({ id }) => contactAad(id),
      identifying: ({ id }) => identifyingAad(id),
      body_fingerprint: ({ id }) => fingerprintAad(id),
    },
    digests: [
      {
        columns: ['company_hash', 'telephone_hash', 'email_hash'],
        keyColumn: 'match_digest_key',
        from: 'enquiry',
        make: (keyRing, enquiry, _row, open) => {
          const stated = fromBinary(EnquirySchema, enquiry);
          const identifying = open('identifying');
          const known = identifying ? withContact(stated, fromBinary(ContactSchema, identifying)) : stated;
          const hashes = statedHashes({ keyRing, matchRule: RULE }, known);
          return [hashes.companyHash, hashes.telephoneHash, hashes.emailHash];
        },
      },
      {
        columns: ['body_digest'],
        keyColumn: 'body_digest_key',
        from: 'body_fingerprint',
        make: (keyRing, fingerprint) => [keyRing.digest('body', fingerprint)],
      },
    ],
  }),
  rotatedTable<{ id: SubmissionId; submission_id: SubmissionId }>(pool, ring, {
    table: 'application',
    key: { id: 'uuid' },
    sealed: { snapshot: (row) => snapshotAad(row.submission_id) },
    reads: ['submission_id'],
  }),
  rotatedTable<{ submission_id: SubmissionId; revision: number }>(pool, ring, {
    table: 'contact_correction',
    key: { submission_id: 'uuid', revision: 'integer' },
    sealed: { contact: (row) => correctionAad(row.submission_id, row.revision) },
  }),
  rotatedTable<{ submission_id: SubmissionId; revision: number }>(pool, ring, {
    table: 'other_contact',
    key: { submission_id: 'uuid', revision: 'integer' },
    sealed: { contact: (row) => otherContactAad(row.submission_id, row.revision) },
    digests: [
      {
        columns: ['telephone_hash', 'email_hash'],
        keyColumn: 'match_digest_key',
        from: 'contact',
        make: (keyRing, contact) => {
          const stated = fromBinary(ContactSchema, contact);
          const { telephoneHash, emailHash } = statedHashes({ keyRing, matchRule: RULE }, stated);
          return [telephoneHash, emailHash];
        },
      },
    ],
  }),
  rotatedTable<{ submission_id: SubmissionId }>(pool, ring, {
    table: 'promoted_keys',
    key: { submission_id: 'uuid' },
    sealed: { stated: (row) => promotedKeysAad(row.submission_id) },
    digests: [
      {
        columns: ['company_hash', 'telephone_hash', 'email_hash'],
        keyColumn: 'match_digest_key',
        from: 'stated',
        make: (keyRing, stated) => {
          const hashes = statedHashes({ keyRing, matchRule: RULE }, fromBinary(EnquirySchema, stated));
          return [hashes.companyHash, hashes.telephoneHash, hashes.emailHash];
        },
      },
    ],
  }),
  rotatedTable<OperationValues>(pool, ring, {
    table: 'operation_key',
    key: { account_id: 'uuid', environment: 'smallint', operation: 'smallint', key: 'text' },
    sealed: {
      body_fingerprint: (row) =>
        operationFingerprintAad(row.account_id, row.environment, row.operation, row.key),
    },
    digests: [
      {
        columns: ['body_digest'],
        keyColumn: 'body_digest_key',
        from: 'body_fingerprint',
        make: (keyRing, fingerprint, row) => [
          keyRing.digest('operation', operationBytes(row.submission_id, fingerprint)),
        ],
      },
    ],
    reads: ['submission_id'],
  }),
  rotatedTable<{ id: string }>(pool, ring, {
    table: 'journey_link',
    key: { id: 'uuid' },
    sealed: { token: ({ id }) => tokenAad(id) },
    digests: [
      {
        columns: ['token_digest'],
        keyColumn: 'token_digest_key',
        from: 'token',
        make: (keyRing, token) => [tokenDigest(keyRing, token)],
      },
    ],
  }),
];
