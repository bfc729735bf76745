import { gzipSync } from 'node:zlib';
import { status } from '@grpc/grpc-js';
import { DocumentService } from '@supplier/proto/document/v1/document';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { grpcBytes } from '../../harness/grpc.ts';
import { requestToService } from '../../harness/rpc.ts';
import { readStack } from '../../harness/stack.ts';
import { token } from '../../harness/tokens.ts';

const junk = Buffer.alloc(5_000, 255);
/** Compresses to a thousandth of its size. */
const large = Buffer.alloc(64 * 1024 * 1024);
const { decideSubmission } = SubmissionService.method;
const path = `/${SubmissionService.typeName}/${decideSubmission.name}`;
const viewer = () => token({ roles: ['staff:viewer'], audience: 'submission' });
const admin = () => readStack().staffToken;

async function connect(headers: Record<string, string>, body: Buffer, bearer?: string): Promise<string> {
  const authorization = bearer ? { authorization: `Bearer ${bearer}` } : {};
  const sent = { method: 'POST', headers: { ...headers, ...authorization }, body } as const;
  const answer = await requestToService('submission', path, sent);
  return ((await answer.body.json()) as { code: string }).code;
}
const JSON_BODY = { 'content-type': 'application/json' };
const PROTO_BODY = { 'content-type': 'application/proto' };

describe('authorisation before the body is read', () => {
  it.each<[string, Record<string, string>, Buffer]>([
    ['malformed JSON', JSON_BODY, junk],
    ['a malformed binary message', PROTO_BODY, junk],
    ['a body that is not gzip', { ...PROTO_BODY, 'content-encoding': 'gzip' }, junk],
    ['a body that inflates to 64 MiB', { ...JSON_BODY, 'content-encoding': 'gzip' }, gzipSync(large)],
    ['a nonexistent encoding', { ...JSON_BODY, 'content-encoding': 'zip' }, junk],
  ])('refuses Connect calls with %s', async (_what, headers, body) => {
    expect(await connect(headers, body)).toBe('unauthenticated');
    expect(await connect(headers, body, viewer())).toBe('permission_denied');
  });

  it.each([
    ['junk', junk, false],
    ['a malformed compressed message', junk, true],
  ])('refuses gRPC calls with %s', async (_what, bytes, gzip) => {
    const code = async (bearer?: string) =>
      status[
        (await grpcBytes('submission', decideSubmission, bytes, { gzip, ...(bearer && { token: bearer }) }))
          .code
      ];
    expect(await code()).toBe('UNAUTHENTICATED');
    expect(await code(viewer())).toBe('PERMISSION_DENIED');
  });
});

describe('an administrator’s message', () => {
  it('is inflated no further than the message size limit', async () => {
    expect(await connect({ ...JSON_BODY, 'content-encoding': 'gzip' }, gzipSync(large), admin())).toBe(
      'resource_exhausted',
    );
    const { code } = await grpcBytes('submission', decideSubmission, large, { gzip: true, token: admin() });
    expect(status[code]).toBe('RESOURCE_EXHAUSTED');
  });
});

it('the document service also checks the caller before it reads the body', async () => {
  const { createUpload } = DocumentService.method;
  expect(status[(await grpcBytes('document', createUpload, junk, { gzip: true })).code]).toBe(
    'UNAUTHENTICATED',
  );
});
