import { randomUUID } from 'node:crypto';
import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { newSupplier } from '../../harness/accounts.ts';
import { pathsOf } from '../../harness/answers.ts';
import {
  correction,
  delivery,
  enquiry,
  newCompanyNumber,
  without,
  withRaw,
} from '../../harness/enquiries.ts';
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
} from '../create-submission/wrong-values.ts';

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

describe('a contact correction is readable', () => {
  it('in each of its contact fields', () => {
    expect([...corrected(STRINGS), ...corrected(ENUMS)].map(({ path }) => path).sort()).toEqual(CONTACT);
  });

  // Of a submission that does not exist: whether a body is valid is said before that.
  it.each(RIGHT)('with %s = %s', async (path, raw) => {
    expect((await alpha.correct(randomUUID(), withRaw(correction(), path, raw))).status).toBe(404);
  });
});

describe('422 to a contact correction', () => {
  it.each(WRONG)('names %s, and nothing else, when it is %s', async (path, raw) => {
    expect(pathsOf(await alpha.correct(randomUUID(), withRaw(correction(), path, raw)))).toEqual([path]);
  });

  it.each(['operation_idempotency_key', 'expected_revision'])('comes without %s', async (path) => {
    expect(pathsOf(await alpha.correct(randomUUID(), without(correction(), path)))).toEqual([path]);
  });

  it('names every contact field where there is none', async () => {
    expect(pathsOf(await alpha.correct(randomUUID(), without(correction(), 'telephone')))).toEqual(CONTACT);
  });

  it('names everything that is wrong with an empty object under an id that is no UUID', async () => {
    const missing = [...CONTACT, 'expected_revision', 'operation_idempotency_key', 'submission_id'];
    expect(pathsOf(await alpha.correct('no-uuid', {}))).toEqual(missing.sort());
  });

  it.each(['x', 'documents', `${randomUUID()}0`])('comes for the id %s, which is no UUID', async (id) => {
    expect(pathsOf(await alpha.correct(id, correction()))).toEqual(['submission_id']);
  });
});

describe('422 to a contact correction names the submission', () => {
  it('that is of application level', async () => {
    const { submission_id } = await decided(alpha, enquiry());
    expect(pathsOf(await alpha.correct(submission_id, correction()))).toEqual(['submission_id']);
  });

  it('that is rejected, or a duplicate', async () => {
    const picky = await newSupplier({ thresholds: { minimumFundingAmount: 50_000 } });
    const rejected = await createdBasic(picky, delivery({ funding_amount: 1000 }));
    expect(pathsOf(await picky.correct(rejected.submission_id, correction()))).toEqual(['submission_id']);
    const company_number = newCompanyNumber();
    await createdBasic(alpha, delivery({ company_number }));
    const twin = await createdBasic(alpha, delivery({ company_number }));
    expect(pathsOf(await alpha.correct(twin.submission_id, correction()))).toEqual(['submission_id']);
  });

  it('that is returned', async () => {
    const { submission_id } = await createdBasic(alpha, delivery());
    await staff.submission().returnSubmission({
      submissionId: submission_id,
      reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
    });
    expect(pathsOf(await alpha.correct(submission_id, correction()))).toEqual(['submission_id']);
  });
});
