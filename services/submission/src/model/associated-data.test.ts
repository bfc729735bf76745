import type { SubmissionId } from '@supplier/lib/text/ids';
import {
  contactAad,
  correctionAad,
  enquiryAad,
  fingerprintAad,
  operationFingerprintAad,
  otherContactAad,
  promotedKeysAad,
  snapshotAad,
  tokenAad,
} from './associated-data.ts';

const ID = '01990000-0000-7000-8000-000000000001' as SubmissionId;

describe('associated data of stored values', () => {
  it.each([
    ['an enquiry', enquiryAad(ID), 'submission', 'enquiry', ID],
    ['a fingerprint of a body', fingerprintAad(ID), 'submission', 'body_fingerprint', ID],
    [
      'a fingerprint under an idempotency key',
      operationFingerprintAad('account', 1, 2, 'a"key'),
      'operation_key',
      'body_fingerprint',
      '["account",1,2,"a\\"key"]',
    ],
    ['a working contact', contactAad(ID), 'submission', 'contact', ID],
    ['a correction', correctionAad(ID, 3), 'contact_correction', 'contact', `${ID}/3`],
    ['another contact of the applicant', otherContactAad(ID, 0), 'other_contact', 'contact', `${ID}/0`],
    ['the keys of a promotion', promotedKeysAad(ID), 'promoted_keys', 'stated', ID],
    ["an Application's snapshot", snapshotAad(ID), 'application', 'snapshot', ID],
    ['the token of a link', tokenAad('link'), 'journey_link', 'token', 'link'],
  ])('binds %s to its row', (_what, aad, table, column, row) => {
    expect(aad).toEqual({ table, column, row });
  });
});
