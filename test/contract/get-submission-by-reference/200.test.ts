import { ReturnReasonCategory } from '@supplier/proto/common/v1/status';
import { delivery, enquiry, newCompanyNumber, newReference, screening } from '../../harness/enquiries.ts';
import { submissionOf } from '../../harness/responses.ts';
import { staff } from '../../harness/rpc.ts';
import { created, createdBasic, decided, type SupplierApi, supplier } from '../../harness/suppliers.ts';
import { NotYet, waitFor } from '../../harness/wait.ts';

const alpha = supplier('alpha');
const staffed = supplier('staffed');
const failing = screening({ company_status: 'fail' });

async function returned() {
  const accepted = await decided(alpha, enquiry());
  await staff.submission().returnSubmission({
    submissionId: accepted.submission_id,
    reasonCategory: ReturnReasonCategory.OVERDUE_FILINGS,
  });
  return accepted;
}

describe('read by reference', () => {
  it('returns the same bytes as the read by id in every state of a submission', async () => {
    const company_number = newCompanyNumber();
    await decided(alpha, enquiry({ company_number }));
    const states: [string, SupplierApi, { submission_id: string; external_reference: string }][] = [
      ['received', staffed, await created(staffed, enquiry())],
      ['accepted', alpha, await decided(alpha, enquiry())],
      ['duplicate_not_accepted', alpha, await decided(alpha, enquiry({ company_number }))],
      ['rejected', alpha, await decided(alpha, enquiry({ credit_screening: failing }))],
      ['returned', alpha, await returned()],
      ['received', staffed, await createdBasic(staffed, delivery())],
      ['accepted', alpha, await createdBasic(alpha, delivery())],
    ];
    for (const [status, api, { submission_id, external_reference }] of states) {
      const found = await waitFor(`${status} to be settled`, async () => {
        const byReference = await api.readByReference(external_reference);
        if (byReference.text !== (await api.read(submission_id)).text) throw new NotYet(byReference.text);
        return byReference;
      });
      expect(submissionOf(found, 200)).toMatchObject({ status, submission_id, external_reference });
    }
  });

  it('distinguishes references by case, white space and Unicode composition', async () => {
    const base = newReference();
    const spellings = [`${base}é`, `${base}e\u0301`, `${base}É`, `${base}é `, ` ${base}é`];
    const submissions = await Promise.all(
      spellings.map((external_reference) => created(alpha, enquiry({ external_reference }))),
    );
    for (const [index, spelling] of spellings.entries()) {
      const found = submissionOf(await alpha.readByReference(spelling), 200);
      expect(found.submission_id).toBe(submissions[index]?.submission_id);
    }
  });

  it('finds each supplier’s submission in each environment when they share a reference', async () => {
    const external_reference = newReference();
    const owners = [alpha, supplier('beta'), supplier('alpha', 'production'), supplier('beta', 'production')];
    for (const owner of owners) await created(owner, enquiry({ external_reference }));
    const found = await Promise.all(
      owners.map(async (owner) => submissionOf(await owner.readByReference(external_reference), 200)),
    );
    expect(new Set(found.map((s) => s.submission_id)).size).toBe(owners.length);
    expect(found.map((s) => s.environment)).toEqual(['sandbox', 'sandbox', 'production', 'production']);
  });
});
