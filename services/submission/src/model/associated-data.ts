import type { SubmissionId } from '@supplier/lib/text/ids';

// Returns the associated data of each sealed value, so that it can be opened only where it was stored.

export const enquiryAad = (id: SubmissionId) => ({ table: 'submission', column: 'enquiry', row: id });

export const fingerprintAad = (id: SubmissionId) => ({
  table: 'submission',
  column: 'body_fingerprint',
  row: id,
});

/** For the fingerprint of the public body sent with an idempotency key. */
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

export const contactAad = (id: SubmissionId) => ({ table: 'submission', column: 'contact', row: id });

export const identifyingAad = (id: SubmissionId) => ({ table: 'submission', column: 'identifying', row: id });

export const correctionAad = (id: SubmissionId, revision: number) => ({
  table: 'contact_correction',
  column: 'contact',
  row: `${id}/${revision}`,
});

/** For the contact details stated by a correction or, with revision 0, by the promotion. */
export const otherContactAad = (id: SubmissionId, revision: number) => ({
  table: 'other_contact',
  column: 'contact',
  row: `${id}/${revision}`,
});

/** For the match keys that a promotion adds. */
export const promotedKeysAad = (id: SubmissionId) => ({ table: 'promoted_keys', column: 'stated', row: id });

export const snapshotAad = (id: SubmissionId) => ({ table: 'application', column: 'snapshot', row: id });

export const tokenAad = (id: string) => ({ table: 'journey_link', column: 'token', row: id });
