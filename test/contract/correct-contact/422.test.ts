import { randomUUID } from 'node:crypto';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import {
  correction,
  delivery,
  enquiry,
  newCompanyNumber,
  without,
  withRaw,
} from '../../harness/enquiries.ts';
import { pathsOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { createdBasic, decided, supplier } from '../../harness/suppliers.ts';
import { ENUMS, EXPECTED_REVISION, IDEMPOTENCY_KEY, STRINGS } from '../create-submission/fields.ts';
import {
  insideEnum,
  insideText,
  insideWhole,
  outsideEnum,
  outsideText,
  outsideWhole,
  type Row,
} from '../create-submission/invalid-values.ts';

const alpha = supplier('alpha');
const CONTACT = ['email', 'first_name', 'last_name', 'preferred_contact_method', 'telephone'];

const corrected = <Field extends { readonly path: string }>(table: readonly Field[]) =>
  table.filter(({ path }) => CONTACT.includes(path));
const WRONG: readonly Row[] = [
  ...outsideWhole(EXPECTED_REVISION),
  ...outsideText(IDEMPOTENCY_KEY),
  ...corrected(STRINGS).flatMap(outsideText),
  ...corrected(ENUMS).flatMap(outsideEnum),
  ['business_name', '"Engines Ltd"'],
  ['__proto__', '{}'],
];
const RIGHT: readonly Row[] = [
  ...insideWhole(EXPECTED_REVISION),
  ...insideText(IDEMPOTENCY_KEY),
  ...corrected(STRINGS).flatMap(insideText),
  ...corrected(ENUMS).flatMap(insideEnum),
];

describe('contact correction fields', () => {
  it('covers every contact field', () => {
    expect([...corrected(STRINGS), ...corrected(ENUMS)].map(({ path }) => path).sort()).toEqual(CONTACT);
  });

  // Uses a submission that doesn't exist, because the body is validated before the lookup.
  it.each(RIGHT)('accepts %s = %s', async (path, raw) => {
    expect((await alpha.correct(randomUUID(), withRaw(correction(), path, raw))).status).toBe(404);
  });
});

describe('contact correction 422', () => {
  it.each(WRONG)('names only %s when it is %s', async (path, raw) => {
    expect(pathsOf(await alpha.correct(randomUUID(), withRaw(correction(), path, raw)))).toEqual([path]);
  });

  it.each(['operation_idempotency_key', 'expected_revision'])('returns 422 without %s', async (path) => {
    expect(pathsOf(await alpha.correct(randomUUID(), without(correction(), path)))).toEqual([path]);
  });

  it('names every contact field when none is present', async () => {
    expect(pathsOf(await alpha.correct(randomUUID(), without(correction(), 'telephone')))).toEqual(CONTACT);
  });

  it('names every violation of an empty object with an id that is not a UUID', async () => {
    const missing = [...CONTACT, 'expected_revision', 'operation_idempotency_key', 'submission_id'];
    expect(pathsOf(await alpha.correct('no-uuid', {}))).toEqual(missing.sort());
  });

  it.each(['x', 'documents', `${randomUUID()}0`])(
    'returns 422 for the id %s, which is not a UUID',
    async (id) => {
      expect(pathsOf(await alpha.correct(id, correction()))).toEqual(['submission_id']);
    },
  );
});

describe('contact correction of a submission in the wrong state', () => {
  it('returns 422 for an application-level submission', async () => {
    const { submission_id } = await decided(alpha, enquiry());
    expect(pathsOf(await alpha.correct(submission_id, correction()))).toEqual(['submission_id']);
  });

  it('returns 422 for a rejected submission or a duplicate', async () => {
    const picky = await newSupplier({ thresholds: { minimumFundingAmount: 50_000 } });
    const rejected = await createdBasic(picky, delivery({ funding_amount: 1000 }));
    expect(pathsOf(await picky.correct(rejected.submission_id, correction()))).toEqual(['submission_id']);
    const company_number = newCompanyNumber();
    await createdBasic(alpha, delivery({ company_number }));
    const twin = await createdBasic(alpha, delivery({ company_number }));
    expect(pathsOf(await alpha.correct(twin.submission_id, correction()))).toEqual(['submission_id']);
  });

  it('returns 422 for a returned submission', async () => {
    const { submission_id } = await createdBasic(alpha, delivery());
    await staff.submission().returnSubmission({
      submissionId: submission_id,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    expect(pathsOf(await alpha.correct(submission_id, correction()))).toEqual(['submission_id']);
  });
});
