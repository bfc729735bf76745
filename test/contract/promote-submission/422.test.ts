import { randomUUID } from 'node:crypto';
import { ApplicationMinting, DecisionMode } from '@supplier/proto/common/v1/principal';
import { Status } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import { delivery, enquiry, fullPromotion, minimalPromotion } from '../../harness/enquiries.ts';
import { pathsOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, decided, type SupplierApi } from '../../harness/suppliers.ts';
import { IDEMPOTENCY_KEY } from '../create-submission/fields.ts';
import {
  insideText,
  outsideText,
  pathsOfRows,
  type Row,
  rightValues,
  strangersTo,
  together,
  withRows,
  wrongValues,
} from '../create-submission/invalid-values.ts';

const TERMS = { applicationMinting: ApplicationMinting.ON_PROMOTION };
let api: SupplierApi;
beforeAll(async () => {
  api = await newSupplier(TERMS);
});

const FULL = fullPromotion();
const WRONG: readonly Row[] = [
  ...outsideText(IDEMPOTENCY_KEY),
  ...wrongValues(FULL),
  ...strangersTo(FULL),
  ['credit_screening.provider', '"another_provider"'],
  ['contact_expectation.channels', '[]'],
  ['date_of_birth', '"2025-02-29"'],
  ['residence_since', '"2026-13"'],
  ['notes', '"x"'],
  ['nickname', '"x"'],
  ['__proto__', '{}'],
];

describe('promotion 422', () => {
  // Uses a submission that doesn't exist, because the body is validated before the lookup.
  it('is not the response to valid fields', async () => {
    for (const rows of together([...insideText(IDEMPOTENCY_KEY), ...rightValues(FULL)]))
      expect((await api.promote(randomUUID(), withRows(fullPromotion(), rows))).status).toBe(404);
  });

  it('names every invalid field, and no other', async () => {
    for (const rows of together(WRONG))
      expect(pathsOf(await api.promote(randomUUID(), withRows(fullPromotion(), rows)))).toEqual(
        pathsOfRows(rows),
      );
  });

  it('names every missing field, and an id that is not a UUID', async () => {
    const required = Object.keys(minimalPromotion());
    expect(pathsOf(await api.promote(randomUUID(), {}))).toEqual([...required].sort());
    for (const id of ['no-uuid', randomUUID().slice(1), '%00'])
      expect(pathsOf(await api.promote(id, {}))).toEqual([...required, 'submission_id'].sort());
  });
});

describe('promotion of a submission in the wrong state', () => {
  it('returns 422 for an application-level submission', async () => {
    const { submission_id } = await decided(api, enquiry());
    expect(pathsOf(await api.promote(submission_id, fullPromotion()))).toEqual(['submission_id']);
  });

  it('returns 422 for an undecided submission, and accepts the same promotion once staff accept it', async () => {
    const staffed = await newSupplier({ ...TERMS, decisionMode: DecisionMode.STAFF });
    const { submission_id } = await createdBasic(staffed, delivery());
    const body = fullPromotion();
    expect(pathsOf(await staffed.promote(submission_id, body))).toEqual(['submission_id']);
    await staff.submission().decideSubmission({
      submissionId: submission_id,
      decision: Status.ACCEPTED,
      reason: 'looked fine',
    });
    expect((await staffed.promote(submission_id, body)).status).toBe(200);
  });
});
