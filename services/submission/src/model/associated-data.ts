import type { SubmissionId } from '@supplier/lib/text/ids';

// The associated data of what this service seals: each value opens only where it was stored.

/** Of a submission's enquiry, as it was submitted. */
export const enquiryAad = (id: SubmissionId) => ({ table: 'submission', column: 'enquiry', row: id });

/** Of the fingerprint of a submission's public body. */
export const fingerprintAad = (id: SubmissionId) => ({
  table: 'submission',
  column: 'body_fingerprint',
  row: id,
});

/** Of the fingerprint of the public body that came with an idempotency key. */
export const operationFingerprintAad = (
  accountId: string,
  environment: number,
  operation: number,
  key: string,
) => ({
  table: 'operation_key',
  column: 'body_fingerprint',
  row: JSON.stringify([accountId, environment, operation, key]),
});

/** Of a submission's working contact. */
export const contactAad = (id: SubmissionId) => ({ table: 'submission', column: 'contact', row: id });

/** Of one correction of a submission's contact. */
export const correctionAad = (id: SubmissionId, revision: number) => ({
  table: 'contact_correction',
  column: 'contact',
  row: `${id}/${revision}`,
});

/** Of the contact details that a correction, or with revision 0 the promotion, states. */
export const otherContactAad = (id: SubmissionId, revision: number) => ({
  table: 'other_contact',
  column: 'contact',
  row: `${id}/${revision}`,
});

/** Of the match keys that a promotion adds to its customer. */
export const promotedKeysAad = (id: SubmissionId) => ({ table: 'promoted_keys', column: 'stated', row: id });

/** Of the snapshot of a submission's one Application. */
export const snapshotAad = (id: SubmissionId) => ({ table: 'application', column: 'snapshot', row: id });

/** Of the token of a journey link. */
export const tokenAad = (id: string) => ({ table: 'journey_link', column: 'token', row: id });
