import { randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { Code } from '@connectrpc/connect';
import { status } from '@grpc/grpc-js';
import { CreateSubmissionRequestSchema } from '@supplier/proto/submission/v1/create_submission';
import { GetSubmissionRequestSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { grpcCall } from '../../harness/grpc.ts';
import { rpcClient, rpcErrorOf } from '../../harness/rpc.ts';
import { type TokenOptions, token } from '../../harness/tokens.ts';

const submissionId = randomUUID();
const now = () => Math.floor(Date.now() / 1000);
const HOURS = 3600;

/** Returns the result of the same call over gRPC and Connect. */
async function ends(options: Partial<TokenOptions>): Promise<string[]> {
  const bearer = token({ roles: ['staff:admin'], audience: 'submission', ...options });
  const asked = create(GetSubmissionRequestSchema, { submissionId });
  const { code } = await grpcCall('submission', SubmissionService, 'GetSubmission', asked, bearer);
  const error = await rpcErrorOf(
    rpcClient('submission', SubmissionService, bearer).getSubmission({ submissionId }),
  );
  return [status[code] ?? '', Code[error.code] ?? ''];
}
const UNAUTHENTICATED = ['UNAUTHENTICATED', 'Unauthenticated'];
const PERMISSION_DENIED = ['PERMISSION_DENIED', 'PermissionDenied'];
const LET_IN = ['NOT_FOUND', 'NotFound'];

describe('a token signed by the trusted issuer', () => {
  it('is accepted', async () => {
    expect(await ends({})).toEqual(LET_IN);
    expect(await ends({ claims: { iat: now(), exp: now() + 12 * HOURS } })).toEqual(LET_IN);
  });

  it.each<[string, Partial<TokenOptions>]>([
    [
      'that is valid for longer than its issuer permits',
      { claims: { iat: now(), exp: now() + 12 * HOURS + 60 } },
    ],
    ['that expires in ten thousand years', { claims: { exp: 315_360_000_000 } }],
    ['that never expires', { claims: { exp: undefined } }],
    ['without an issue time', { claims: { iat: undefined } }],
    ['that was issued in the future', { claims: { iat: now() + HOURS, exp: now() + 2 * HOURS } }],
    ['with an empty subject', { subject: '' }],
    ['without a subject', { claims: { sub: undefined } }],
    ['with a blank subject', { subject: '   ' }],
    ['with a list as its subject', { claims: { sub: ['test'] } }],
  ])('returns UNAUTHENTICATED for a token %s', async (_what, options) => {
    expect(await ends(options)).toEqual(UNAUTHENTICATED);
  });

  it('is not a service’s token because of a group of that name', async () => {
    expect(await ends({ subject: 'jo', roles: ['service:gateway', 'service:webhook'] })).toEqual(
      PERMISSION_DENIED,
    );
    expect(await ends({ subject: 'gateway', roles: ['service:webhook'] })).toEqual(PERMISSION_DENIED);
    const bearer = token({
      subject: 'jo',
      roles: ['staff:admin', 'service:gateway'],
      audience: 'submission',
    });
    const asked = create(CreateSubmissionRequestSchema, { externalReference: 'x' });
    const { code } = await grpcCall('submission', SubmissionService, 'CreateSubmission', asked, bearer);
    expect(status[code]).toBe('PERMISSION_DENIED');
  });

  it('is a service’s token for the subject of that service', async () => {
    expect(await ends({ subject: 'webhook', roles: ['service:webhook'] })).toEqual(LET_IN);
  });
});
