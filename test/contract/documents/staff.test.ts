import { randomUUID } from 'node:crypto';
import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentCategory, DocumentService } from '@supplier/proto/document/v1/document';
import { newSupplier } from '../../harness/accounts.ts';
import { refusalCodeOf, rpcClient, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { token } from '../../harness/tokens.ts';
import { finalized, requestSubmissionUpload, requestUpload } from '../../harness/uploads.ts';

const as = (...roles: string[]) =>
  rpcClient('document', DocumentService, token({ roles, audience: 'document' }));

describe('documents as staff see them', () => {
  it('match what the supplier sent, including the original file name', async () => {
    const api = await newSupplier();
    const filename = '../../\u202efdp.statement';
    const { submissionId, documentId, reference } = await finalized(api, { filename, category: 'accounts' });
    const { documents } = await as('staff:operator').listDocuments({
      purpose: 'read by a test',
      submissionId,
    });
    expect(documents).toMatchObject([
      {
        documentId,
        accountId: api.accountId,
        environment: Environment.SANDBOX,
        externalReference: reference,
        submissionId,
        category: DocumentCategory.ACCOUNTS,
        filename,
        contentType: 'application/pdf',
        byteSize: 1024n,
      },
    ]);
  });

  it('are empty for a submission without documents, and exclude documents that are only reserved', async () => {
    expect(
      (await staff.document().listDocuments({ purpose: 'read by a test', submissionId: randomUUID() }))
        .documents,
    ).toEqual([]);
    const { submissionId } = await requestSubmissionUpload(await newSupplier());
    expect(
      (await staff.document().listDocuments({ purpose: 'read by a test', submissionId })).documents,
    ).toEqual([]);
  });
});

describe('document actions by staff', () => {
  it('refuse to download a document that was never found clean', async () => {
    const api = await newSupplier();
    const { documentId } = await requestUpload(api);
    const error = await rpcErrorOf(
      staff.document().downloadDocument({ purpose: 'read by a test', documentId }),
    );
    expect(refusalCodeOf(error)).toBe(RefusalCode.WRONG_STATE);
    const deleted = await finalized(api);
    await staff.document().deleteDocument({ documentId: deleted.documentId });
    const again = await rpcErrorOf(
      staff.document().downloadDocument({ purpose: 'read by a test', documentId: deleted.documentId }),
    );
    expect(refusalCodeOf(again)).toBe(RefusalCode.WRONG_STATE);
  });

  it('refuse to rescan a document that was never finalized', async () => {
    const { documentId } = await requestUpload(await newSupplier());
    const error = await rpcErrorOf(staff.document().rescanDocument({ documentId }));
    expect(refusalCodeOf(error)).toBe(RefusalCode.WRONG_STATE);
  });

  it('delete a document permanently, and record it once when repeated', async () => {
    const { submissionId, documentId } = await finalized(await newSupplier());
    const { deletedAt, filename } = await staff.document().deleteDocument({ documentId });
    expect(deletedAt).toBeDefined();
    expect(filename).toBe('');
    expect((await staff.document().deleteDocument({ documentId })).deletedAt).toEqual(deletedAt);
    const { documents } = await staff.document().listDocuments({ purpose: 'read by a test', submissionId });
    expect(documents).toMatchObject([{ documentId, deletedAt }]);
  });

  it('return NOT_FOUND for a document that does not exist', async () => {
    const documentId = randomUUID();
    for (const ask of [
      () => staff.document().downloadDocument({ purpose: 'read by a test', documentId }),
      () => staff.document().rescanDocument({ documentId }),
      () => staff.document().deleteDocument({ documentId }),
    ])
      expect(refusalCodeOf(await rpcErrorOf(ask()))).toBe(RefusalCode.NOT_FOUND);
  });
});

describe('document permissions', () => {
  it.each([
    ['staff:viewer', 'listDocuments'],
    ['staff:viewer', 'downloadDocument'],
    ['staff:viewer', 'rescanDocument'],
    ['staff:viewer', 'deleteDocument'],
    ['staff:operator', 'deleteDocument'],
    ['service:gateway', 'listDocuments'],
    ['service:gateway', 'downloadDocument'],
    ['service:gateway', 'deleteDocument'],
    ['service:submission', 'listDocuments'],
    ['staff:admin', 'createUpload'],
    ['staff:admin', 'finalizeUpload'],
  ] as const)('deny %s calling %s', async (role, method) => {
    const id = randomUUID();
    const purpose = 'read by a test';
    const request = { submissionId: id, documentId: id, externalReference: 'r', purpose };
    const error = await rpcErrorOf(as(role)[method](request));
    expect(error.code).toBe(Code.PermissionDenied);
  });
});
