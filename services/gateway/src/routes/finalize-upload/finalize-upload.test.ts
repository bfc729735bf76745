import { create } from '@bufbuild/protobuf';
import { Scope } from '@supplier/proto/common/v1/principal';
import { DocumentCategory, DocumentSchema, ScanStatus } from '@supplier/proto/document/v1/document';
import { type FakeGateway, fakeGateway, postTo } from '../../testing/fake-gateway.ts';
import { finalizeBody } from '../../testing/sample-bodies.ts';

const scopes = [Scope.CREATE_APPLICATION];
const ask = (gateway: FakeGateway, body: object = finalizeBody()) =>
  gateway.app.inject(postTo(gateway, '/v1/supplier-submissions/documents/finalize', body));
const documentId = finalizeBody().document_id;

function answering(category: DocumentCategory, scanStatus: ScanStatus): FakeGateway {
  const gateway = fakeGateway({ scopes });
  gateway.answer = () => create(DocumentSchema, { documentId, category, scanStatus });
  return gateway;
}

describe('POST /v1/supplier-submissions/documents/finalize', () => {
  it.each([
    [DocumentCategory.BANK_STATEMENTS, 'bank_statements', ScanStatus.PENDING_SCAN, 'pending_scan'],
    [DocumentCategory.ACCOUNTS, 'accounts', ScanStatus.CLEAN, 'clean'],
    [DocumentCategory.ID, 'id', ScanStatus.INFECTED, 'infected'],
    [DocumentCategory.ID, 'id', ScanStatus.SCAN_FAILED, 'scan_failed'],
  ])('returns 200 with document, category (%s: %s) and scan status (%s: %s)', async (...row) => {
    const [category, nameOfCategory, scan, nameOfScan] = row;
    const answer = await ask(answering(category, scan));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      document_id: documentId,
      category: nameOfCategory,
      scan_status: nameOfScan,
    });
  });

  it('returns 503 instead of a value outside the contract', async () => {
    const answer = await ask(answering(DocumentCategory.UNSPECIFIED, ScanStatus.CLEAN));
    expect(answer.statusCode).toBe(503);
  });

  it('passes on the id in lower case', async () => {
    const gateway = answering(DocumentCategory.ID, ScanStatus.CLEAN);
    await ask(gateway, { ...finalizeBody(), document_id: documentId.toUpperCase() });
    expect(gateway.calls).toMatchObject([
      { name: 'finalizeUpload', request: { externalReference: 'ref-1', documentId } },
    ]);
  });

  it.each([
    ['external_reference', 'x'.repeat(129)],
    ['document_id', 'no-uuid'],
    ['document_id', ''],
    ['document_id', 1],
    ['document_id', undefined],
    ['category', 'id'],
  ])('returns 422 for %s = %j', async (path, value) => {
    const gateway = fakeGateway({ scopes });
    const answer = await ask(gateway, { ...finalizeBody(), [path]: value });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.details).toMatchObject([{ path }]);
    expect(gateway.calls).toEqual([]);
  });

  it('requires either of the create scopes', async () => {
    const others = [Scope.READ, Scope.CORRECT, Scope.PROMOTE];
    expect((await ask(fakeGateway({ scopes: others }))).statusCode).toBe(403);
  });
});
