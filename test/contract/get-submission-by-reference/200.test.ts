import { submissionOf } from '../../harness/answers.ts';
import { enquiry, fullEnquiry, newReference } from '../../harness/enquiries.ts';
import { CREATE_PATH } from '../../harness/http.ts';
import { created, decided, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('200 to a read by reference', () => {
  it('is, byte for byte, what the read by id answers', async () => {
    const { submission_id, external_reference } = await decided(alpha, fullEnquiry());
    const byReference = await alpha.readByReference(external_reference);
    submissionOf(byReference, 200);
    expect(byReference.text).toBe((await alpha.read(submission_id)).text);
  });

  it.each([
    ['white space and separators', ' a b\t&external_reference=x#/?;'],
    ['percent signs and plus signs', '100%+1%2b%'],
    ['other scripts', 'Ünïcödé 参照 مرجع'],
    ['characters beyond the basic plane', '😀👩‍🚀'],
    ['control characters', 'a\u0001\r\nb'],
    ['quotes', `'"\\\`--`],
  ])('finds a reference with %s', async (_, text) => {
    const external_reference = `${text}${newReference()}`;
    const { submission_id } = await created(alpha, enquiry({ external_reference }));
    const found = submissionOf(await alpha.readByReference(external_reference), 200);
    expect(found).toMatchObject({ submission_id, external_reference });
  });

  it('finds a reference of the greatest length', async () => {
    const external_reference = `${newReference()}${'😀'.repeat(128)}`;
    const longest = [...external_reference].slice(0, 128).join('');
    const { submission_id } = await created(alpha, enquiry({ external_reference: longest }));
    expect(submissionOf(await alpha.readByReference(longest), 200).submission_id).toBe(submission_id);
  });

  it('tells references apart by case, by white space and by composition', async () => {
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

  it('finds each supplier’s and each environment’s own submission under a reference they share', async () => {
    const external_reference = newReference();
    const owners = [alpha, supplier('beta'), supplier('alpha', 'production'), supplier('beta', 'production')];
    for (const owner of owners) await created(owner, enquiry({ external_reference }));
    const found = await Promise.all(
      owners.map(async (owner) => submissionOf(await owner.readByReference(external_reference), 200)),
    );
    expect(new Set(found.map((s) => s.submission_id)).size).toBe(owners.length);
    expect(found.map((s) => s.environment)).toEqual(['sandbox', 'sandbox', 'production', 'production']);
  });

  it('is open to a credential that may only read', async () => {
    const answer = await supplier('reader').readByReference(newReference());
    expect(answer.status).toBe(404);
  });

  it('does not mind a further parameter that it does not know', async () => {
    const { submission_id, external_reference } = await created(alpha, enquiry());
    const path = `${CREATE_PATH}?verbose=1&external_reference=${external_reference}`;
    expect(submissionOf(await alpha.call({ path }), 200).submission_id).toBe(submission_id);
  });
});
