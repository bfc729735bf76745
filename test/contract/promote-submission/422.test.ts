import { randomUUID } from 'node:crypto';
import { ApplicationMinting, DecisionMode } from '@supplier/proto/common/v1/principal';
import { ReturnReasonCategory, Status } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import {
  delivery,
  enquiry,
  fullPromotion,
  minimalPromotion,
  newCompanyNumber,
  without,
  withRaw,
} from '../../harness/enquiries.ts';
import { pathsOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, decided, type SupplierApi } from '../../harness/suppliers.ts';
import { IDEMPOTENCY_KEY } from '../create-submission/fields.ts';
import {
  insideText,
  outsideText,
  type Row,
  rightValues,
  strangersTo,
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

describe('promotion fields', () => {
  // Uses a submission that doesn't exist, because the body is validated before the lookup.
  it.each([...insideText(IDEMPOTENCY_KEY), ...rightValues(FULL)])('accepts %s = %s', async (path, raw) => {
    expect((await api.promote(randomUUID(), withRaw(fullPromotion(), path, raw))).status).toBe(404);
  });
});

describe('promotion 422', () => {
  it.each(WRONG)('names only %s when it is %s', async (path, raw) => {
    expect(pathsOf(await api.promote(randomUUID(), withRaw(fullPromotion(), path, raw)))).toEqual([path]);
  });

  it.each(Object.keys(minimalPromotion()))('returns 422 without %s', async (path) => {
    expect(pathsOf(await api.promote(randomUUID(), without(fullPromotion(), path)))).toEqual([path]);
  });

  it('names every required field of an empty object, and an id that is not a UUID as well', async () => {
    const required = Object.keys(minimalPromotion());
    expect(pathsOf(await api.promote(randomUUID(), {}))).toEqual([...required].sort());
    expect(pathsOf(await api.promote('no-uuid', {}))).toEqual([...required, 'submission_id'].sort());
  });

  it.each(['x', 'documents', randomUUID().slice(1), '%00'])(
    'returns 422 for the id %s, which is not a UUID',
    async (id) => {
      expect(pathsOf(await api.promote(id, fullPromotion()))).toEqual(['submission_id']);
    },
  );
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

  it('returns 422 for a rejected submission or a duplicate', async () => {
    const picky = await newSupplier({ ...TERMS, thresholds: { minimumFundingAmount: 50_000 } });
    const rejected = await createdBasic(picky, delivery({ funding_amount: 1000 }));
    expect(rejected.status).toBe('rejected');
    expect(pathsOf(await picky.promote(rejected.submission_id, fullPromotion()))).toEqual(['submission_id']);
    const company_number = newCompanyNumber();
    await createdBasic(api, delivery({ company_number }));
    const twin = await createdBasic(api, delivery({ company_number }));
    expect(pathsOf(await api.promote(twin.submission_id, fullPromotion()))).toEqual(['submission_id']);
  });

  it('returns 422 for a returned submission', async () => {
    const { submission_id } = await createdBasic(api, delivery());
    await staff.submission().returnSubmission({
      submissionId: submission_id,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    expect(pathsOf(await api.promote(submission_id, fullPromotion()))).toEqual(['submission_id']);
  });
});
