import { create } from '@bufbuild/protobuf';
import { Scope } from '@supplier/proto/common/v1/principal';
import { CreateUploadResponseSchema, DocumentCategory } from '@supplier/proto/document/v1/document';
import { type FakeGateway, fakeGateway, postTo, SUBMISSION_ID } from '../../testing/fake-gateway.ts';
import { uploadBody } from '../../testing/sample-bodies.ts';

const scopes = [Scope.CREATE_BASIC];
const URL = '/v1/supplier-submissions/documents/upload-url';
const ask = (gateway: FakeGateway, body: object = uploadBody()) =>
  gateway.app.inject(postTo(gateway, URL, body));

describe('POST /v1/supplier-submissions/documents/upload-url', () => {
  it('returns 200 with the document and its upload URL', async () => {
    const gateway = fakeGateway({ scopes });
    const uploadUrl = 'https://files.example.test/x?signature=y';
    gateway.answer = () => create(CreateUploadResponseSchema, { documentId: SUBMISSION_ID, uploadUrl });
    const answer = await ask(gateway);
    expect(answer.statusCode).toBe(200);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({ document_id: SUBMISSION_ID, upload_url: uploadUrl });
    expect(gateway.calls).toMatchObject([
      {
        name: 'createUpload',
        request: {
          externalReference: 'ref-1',
          filename: 'statement.pdf',
          contentType: 'application/pdf',
          byteSize: 26_214_400n,
          category: DocumentCategory.BANK_STATEMENTS,
        },
      },
    ]);
  });

  it.each([
    ['external_reference', ''],
    ['filename', ''],
    ['filename', 'x'.repeat(256)],
    ['content_type', 'text/plain'],
    ['content_type', ''],
    ['content_type', 7],
    ['content_type', 'application/pdf; charset=utf-8'],
    ['content_type', 'text/csv; charset=windows-1252'],
    ['content_type', 'text/csv; header=present'],
    ['content_type', 'text/csv, application/pdf'],
    ['byte_size', 0],
    ['byte_size', 1.5],
    ['byte_size', '1'],
    ['byte_size', Number.MAX_SAFE_INTEGER + 1],
    ['category', 'passport'],
    ['category', undefined],
    ['document_id', SUBMISSION_ID],
  ])('returns 422 for %s = %j', async (path, value) => {
    const gateway = fakeGateway({ scopes });
    const answer = await ask(gateway, { ...uploadBody(), [path]: value });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.details).toMatchObject([{ path }]);
    expect(gateway.calls).toEqual([]);
  });

  it.each([
    'Application/PDF',
    'IMAGE/png',
    'Text/CSV',
    'text/csv; charset=utf-8',
    'text/csv;charset="UTF-8"',
  ])('accepts the media type %j and passes it on as written', async (content_type) => {
    const gateway = fakeGateway({ scopes });
    gateway.answer = () => create(CreateUploadResponseSchema, { documentId: SUBMISSION_ID });
    expect((await ask(gateway, { ...uploadBody(), content_type })).statusCode).toBe(200);
    expect(gateway.calls).toMatchObject([{ request: { contentType: content_type } }]);
  });

  it('returns 422 for a body that is not an object', async () => {
    for (const body of [[], [{ content_type: 'Text/CSV' }]])
      expect((await ask(fakeGateway({ scopes }), body)).statusCode).toBe(422);
  });

  it('requires either of the create scopes', async () => {
    for (const scope of [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION]) {
      const gateway = fakeGateway({ scopes: [scope] });
      gateway.answer = () => create(CreateUploadResponseSchema, { documentId: SUBMISSION_ID });
      expect((await ask(gateway)).statusCode).toBe(200);
    }
    const others = [Scope.READ, Scope.CORRECT, Scope.PROMOTE];
    expect((await ask(fakeGateway({ scopes: others }))).statusCode).toBe(403);
  });

  it('is not mistaken for a submission’s id', async () => {
    const gateway = fakeGateway({ scopes: [Scope.READ] });
    const answer = await gateway.app.inject({
      method: 'GET',
      url: URL,
      headers: { authorization: `Bearer ${gateway.bearer}` },
    });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers.allow).toBe('POST');
    expect(gateway.calls).toEqual([]);
  });
});
