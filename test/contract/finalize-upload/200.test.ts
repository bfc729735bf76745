import { enquiry, newReference } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import { documentOf, finalize, put, requestSubmissionUpload, requestUpload } from '../../harness/uploads.ts';

const alpha = supplier('alpha');

describe('finalize an upload', () => {
  it.each(['bank_statements', 'accounts', 'id'])('attaches %s to their submission', async (category) => {
    const document = await requestSubmissionUpload(alpha, { category });
    expect(await put(document)).toEqual({ status: 200, text: '' });
    const answer = documentOf(await finalize(alpha, document));
    expect(answer).toEqual({ document_id: document.documentId, category, scan_status: 'pending_scan' });
    const { submissionId } = document;
    const { documents } = await staff.document().listDocuments({ purpose: 'read by a test', submissionId });
    expect(documents.map(({ documentId }) => documentId)).toEqual([document.documentId]);
  });

  it('returns 200 when the upload preceded the submission', async () => {
    const external_reference = newReference();
    const document = await requestUpload(alpha, { external_reference });
    await put(document);
    expect((await finalize(alpha, document)).status).toBe(404);
    await created(alpha, enquiry({ external_reference }));
    expect(documentOf(await finalize(alpha, document)).scan_status).toBe('pending_scan');
  });
});
