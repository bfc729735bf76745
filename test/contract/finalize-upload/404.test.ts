import { randomUUID } from 'node:crypto';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { refusalOf } from '../../harness/responses.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { documentOf, finalize, put, requestSubmissionUpload, requestUpload } from '../../harness/uploads.ts';

const alpha = supplier('alpha');

describe('finalize 404', () => {
  it('returns the same response for a document that is unknown, another supplier’s, of another reference or of no submission', async () => {
    const document = await requestSubmissionUpload(alpha);
    await put(document);
    const beta = await newSupplier();
    const { reference } = document;
    await created(beta, enquiry({ external_reference: reference }));
    const { external_reference: other } = await created(alpha, enquiry());
    const withoutSubmission = await requestUpload(alpha);
    await put(withoutSubmission);

    const refusals = await Promise.all([
      finalize(alpha, { reference, documentId: randomUUID() }),
      finalize(alpha, { reference: newReference(), documentId: document.documentId }),
      finalize(alpha, { reference: other, documentId: document.documentId }),
      finalize(alpha, withoutSubmission),
      finalize(beta, document),
      finalize(supplier('alpha', 'production'), document),
    ]);
    for (const answer of refusals)
      expect(refusalOf(answer, 404)).toEqual(refusalOf(refusals[0] ?? answer, 404));
    expect(documentOf(await finalize(alpha, document)).document_id).toBe(document.documentId);
    refusalOf(await finalize(beta, document), 404);
  });
});
