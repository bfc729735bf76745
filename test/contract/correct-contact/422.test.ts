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

const alpha = supplier('alpha');
const CONTACT = ['email', 'first_name', 'last_name', 'preferred_contact_method', 'telephone'];

const WRONG: readonly (readonly [path: string, raw: string])[] = [
  ...['-1', '9007199254740992', '0.5', '"0"', 'null', 'true', '1e400'].map(
    (raw) => ['expected_revision', raw] as const,
  ),
  ...['"1234567"', JSON.stringify('x'.repeat(129)), 'null', '12345678'].map(
    (raw) => ['operation_idempotency_key', raw] as const,
  ),
  ...['first_name', 'last_name', 'telephone', 'email'].flatMap((path) =>
    ['""', JSON.stringify('x'.repeat(321)), '"a\\u0000b"', '"\\ud800"', 'null', '1', '[]'].map(
      (raw) => [path, raw] as const,
    ),
  ),
  ...['"post"', '""', 'null', '"Email"'].map((raw) => ['preferred_contact_method', raw] as const),
  ['business_name', '"Engines Ltd"'],
  ['__proto__', '{}'],
];

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
