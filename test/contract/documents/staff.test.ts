import { randomUUID } from 'node:crypto';
import { Code } from '@connectrpc/connect';
import { RefusalCode } from '@supplier/proto/common/v1/refusal';
import { Environment } from '@supplier/proto/common/v1/status';
import { DocumentCategory, DocumentService } from '@supplier/proto/document/v1/document';
import { newSupplier } from '../../harness/accounts.ts';
import { refusalCodeOf, rpcClient, rpcErrorOf, staff } from '../../harness/rpc.ts';
import { token } from '../../harness/tokens.ts';
import { announced, announcedForSubmission, finalized } from '../../harness/uploads.ts';

const as = (...roles: string[]) =>
  rpcClient('document', DocumentService, token({ roles, audience: 'document' }));

describe('what staff see of documents', () => {
  it('is what the supplier sent, the name of the file as it was given', async () => {
    const api = await newSupplier();
    const filename = '../../\u202efdp.statement';
    const { submissionId, documentId, reference } = await finalized(api, { filename, category: 'accounts' });
    const { documents } = await as('staff:operator').listDocuments({
      purpose: 'looked at by a test',
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

  it('is nothing of a submission without documents, and not what was only announced', async () => {
    expect(
      (await staff.document().listDocuments({ purpose: 'looked at by a test', submissionId: randomUUID() }))
        .documents,
    ).toEqual([]);
    const { submissionId } = await announcedForSubmission(await newSupplier());
    expect(
      (await staff.document().listDocuments({ purpose: 'looked at by a test', submissionId })).documents,
    ).toEqual([]);
  });
});

describe('what staff do with documents', () => {
  it('download: not of what was never found clean', async () => {
    const api = await newSupplier();
    const { documentId } = await announced(api);
    const error = await rpcErrorOf(
      staff.document().downloadDocument({ purpose: 'looked at by a test', documentId }),
    );
    expect(refusalCodeOf(error)).toBe(RefusalCode.WRONG_STATE);
    const deleted = await finalized(api);
    await staff.document().deleteDocument({ documentId: deleted.documentId });
    const again = await rpcErrorOf(
      staff.document().downloadDocument({ purpose: 'looked at by a test', documentId: deleted.documentId }),
    );
    expect(refusalCodeOf(again)).toBe(RefusalCode.WRONG_STATE);
  });

  it('rescan: not of what was never finalized', async () => {
    const { documentId } = await announced(await newSupplier());
    const error = await rpcErrorOf(staff.document().rescanDocument({ documentId }));
    expect(refusalCodeOf(error)).toBe(RefusalCode.WRONG_STATE);
  });

  it('delete: for good, and only once when asked again', async () => {
    const { submissionId, documentId } = await finalized(await newSupplier());
    const { deletedAt, filename } = await staff.document().deleteDocument({ documentId });
    expect(deletedAt).toBeDefined();
    expect(filename).toBe('');
    expect((await staff.document().deleteDocument({ documentId })).deletedAt).toEqual(deletedAt);
    const { documents } = await staff
      .document()
      .listDocuments({ purpose: 'looked at by a test', submissionId });
    expect(documents).toMatchObject([{ documentId, deletedAt }]);
  });

  it('is NOT_FOUND of what does not exist', async () => {
    const documentId = randomUUID();
    for (const ask of [
      () => staff.document().downloadDocument({ purpose: 'looked at by a test', documentId }),
      () => staff.document().rescanDocument({ documentId }),
      () => staff.document().deleteDocument({ documentId }),
    ])
      expect(refusalCodeOf(await rpcErrorOf(ask()))).toBe(RefusalCode.NOT_FOUND);
  });
});

describe('PERMISSION_DENIED', () => {
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
  ] as const)('as %s calling %s', async (role, method) => {
    const id = randomUUID();
    const purpose = 'looked at by a test';
    const request = { submissionId: id, documentId: id, externalReference: 'r', purpose };
    const error = await rpcErrorOf(as(role)[method](request));
    expect(error.code).toBe(Code.PermissionDenied);
  });
});
