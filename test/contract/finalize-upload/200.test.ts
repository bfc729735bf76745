import { randomBytes } from 'node:crypto';
import { newSupplier } from '../../harness/accounts.ts';
import { enquiry, newReference } from '../../harness/enquiries.ts';
import { staff } from '../../harness/rpc.ts';
import { created, supplier } from '../../harness/suppliers.ts';
import {
  documentOf,
  finalize,
  finalized,
  put,
  requestSubmissionUpload,
  requestUpload,
} from '../../harness/uploads.ts';

const alpha = supplier('alpha');
const KNOWN = ['pending_scan', 'clean', 'infected', 'scan_failed'];

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

  it('returns 200 in production too, and for one byte', async () => {
    await finalized(supplier('alpha', 'production'));
    await finalized(alpha, { byte_size: 1, content_type: 'text/csv' });
  });

  it('returns 200 when the upload preceded the submission', async () => {
    const external_reference = newReference();
    const document = await requestUpload(alpha, { external_reference });
    await put(document);
    expect((await finalize(alpha, document)).status).toBe(404);
    await created(alpha, enquiry({ external_reference }));
    expect(documentOf(await finalize(alpha, document)).scan_status).toBe('pending_scan');
  });

  it('returns 200 when repeated, with the id in either case', async () => {
    const document = await finalized(alpha, { category: 'id' });
    for (const documentId of [document.documentId, document.documentId.toUpperCase()]) {
      const again = documentOf(await finalize(alpha, { ...document, documentId }));
      expect(again).toMatchObject({ document_id: document.documentId, category: 'id' });
      expect(KNOWN).toContain(again.scan_status);
    }
  });

  it('returns 200 to every concurrent request, for one document', async () => {
    const document = await requestSubmissionUpload(alpha);
    await put(document);
    const answers = await Promise.all(Array.from({ length: 10 }, () => finalize(alpha, document)));
    for (const answer of answers) expect(documentOf(answer).document_id).toBe(document.documentId);
    const { submissionId } = document;
    const { documents } = await staff.document().listDocuments({ purpose: 'read by a test', submissionId });
    expect(documents).toHaveLength(1);
  });

  it('is unaffected by later uploads', async () => {
    const api = await newSupplier();
    const document = await finalized(api, { byte_size: 4096 });
    const before = await staff
      .document()
      .listDocuments({ purpose: 'read by a test', submissionId: document.submissionId });
    await put(document, { bytes: randomBytes(4096) });
    documentOf(await finalize(api, document));
    const after = await staff
      .document()
      .listDocuments({ purpose: 'read by a test', submissionId: document.submissionId });
    expect(after.documents.map(({ finalizedAt }) => finalizedAt)).toEqual(
      before.documents.map(({ finalizedAt }) => finalizedAt),
    );
  });
});
