import { everythingReady, kill, restarted } from '../harness/processes.ts';
import { staff } from '../harness/rpc.ts';
import { serializeFiles } from '../harness/serialize-files.ts';
import { supplier } from '../harness/suppliers.ts';
import { documentOf, finalize, put, requestSubmissionUpload } from '../harness/uploads.ts';
import { NotYet, waitFor } from '../harness/wait.ts';

serializeFiles('documents');

const alpha = supplier('alpha');

beforeEach(everythingReady);

describe('a document service killed while finalizing', () => {
  it('completes each finalize entirely or not at all, and each succeeds when repeated', async () => {
    const documents = await Promise.all(
      Array.from({ length: 20 }, () => requestSubmissionUpload(alpha, { byte_size: 262_144 })),
    );
    for (const document of documents) expect((await put(document)).status).toBe(200);

    const first = documents.map((document) => finalize(alpha, document));
    await Promise.race(first);
    const restart = restarted('document', await kill('document'));
    const statuses = (await Promise.all(first)).map(({ status }) => status);
    expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
    await restart;
    await everythingReady();

    await Promise.all(
      documents.map((document) =>
        waitFor(`document ${document.documentId} to be finalized`, async () => {
          const answer = await finalize(alpha, document);
          if (answer.status === 503) throw new NotYet(answer.text);
          expect(documentOf(answer).document_id).toBe(document.documentId);
        }),
      ),
    );
    for (const { submissionId, documentId } of documents) {
      const { documents: attached } = await staff
        .document()
        .listDocuments({ purpose: 'read by a test', submissionId });
      expect(attached.map((each) => each.documentId)).toEqual([documentId]);
    }
  });
});
