import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { Status } from '@supplier/proto/common/v1/status';
import { CreateSubmissionRequestSchema } from '@supplier/proto/submission/v1/create_submission';
import { GetSubmissionByReferenceRequestSchema } from '@supplier/proto/submission/v1/find_submission';
import { DecideSubmissionRequestSchema } from '@supplier/proto/submission/v1/staff_decisions';
import { GetSubmissionRequestSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { grpcCall } from '../../harness/grpc.ts';
import { readStack } from '../../harness/stack.ts';
import { token, unsigned } from '../../harness/tokens.ts';

const { staffToken } = readStack();
const ADMIN = { roles: ['staff:admin'], audience: 'submission' };
const submissionId = randomUUID();
const stranger = generateKeyPairSync('ed25519').privateKey;

async function getSubmission(bearer?: string): Promise<status> {
  const asked = create(GetSubmissionRequestSchema, { submissionId });
  return (await grpcCall('submission', SubmissionService, 'GetSubmission', asked, bearer)).code;
}

describe('UNAUTHENTICATED', () => {
  it.each<[string, () => string | undefined]>([
    ['without a token', () => undefined],
    ['with text that is not a token', () => 'let-me-in'],
    ['with a supplier’s credential', () => readStack().suppliers.alpha?.credential],
    ['with a token whose signature is truncated', () => staffToken.slice(0, -4)],
    ['with an unsigned token', () => unsigned(staffToken)],
    ['with a token signed with an unknown key', () => token({ ...ADMIN, key: stranger })],
    ['with a token of an unknown issuer', () => token({ ...ADMIN, issuer: 'urn:somebody-else' })],
    ['with an expired token', () => token({ ...ADMIN, expiresIn: -60 })],
  ])('is returned %s', async (_, bearer) => {
    expect(status[await getSubmission(bearer())]).toBe('UNAUTHENTICATED');
  });
});

describe('PERMISSION_DENIED', () => {
  it('is returned for a token meant for another service', async () => {
    expect(status[await getSubmission(token({ ...ADMIN, audience: 'billing' }))]).toBe('PERMISSION_DENIED');
    expect(status[await getSubmission(token({ ...ADMIN, audience: [] }))]).toBe('PERMISSION_DENIED');
  });

  it.each<[string, string[], keyof typeof CALLS]>([
    ['staff', ['staff:admin'], 'CreateSubmission'],
    ['staff', ['staff:admin'], 'GetSubmissionByReference'],
    ['a viewer', ['staff:viewer'], 'DecideSubmission'],
    ['the gateway', ['service:gateway'], 'DecideSubmission'],
    ['billing', ['service:billing'], 'GetSubmission'],
    ['nobody', [], 'GetSubmission'],
    ['a made-up role', ['staff:everything'], 'GetSubmission'],
    ['a role in capitals', ['STAFF:ADMIN'], 'GetSubmission'],
  ])('is returned to %s (%j) calling %s', async (_, roles, method) => {
    const bearer = token({ roles, audience: 'submission' });
    const { code } = await grpcCall('submission', SubmissionService, method, CALLS[method](), bearer);
    expect(status[code]).toBe('PERMISSION_DENIED');
  });

  it('is returned before the message is validated', async () => {
    const bearer = token({ roles: ['staff:viewer'], audience: 'submission' });
    const asked = create(DecideSubmissionRequestSchema, {});
    const { code } = await grpcCall('submission', SubmissionService, 'DecideSubmission', asked, bearer);
    expect(status[code]).toBe('PERMISSION_DENIED');
  });

  it('is returned to the gateway without a supplier', async () => {
    const bearer = token({ roles: ['service:gateway'], audience: 'submission' });
    const asked = create(GetSubmissionByReferenceRequestSchema, { externalReference: 'x' });
    const { code } = await grpcCall(
      'submission',
      SubmissionService,
      'GetSubmissionByReference',
      asked,
      bearer,
    );
    expect(status[code]).toBe('PERMISSION_DENIED');
  });
});

describe('a permitted role', () => {
  it.each(['staff:viewer', 'staff:operator', 'staff:admin', 'service:webhook'])(
    '%s may read a submission',
    async (role) => {
      const code = await getSubmission(token({ roles: [role], audience: 'submission' }));
      expect(status[code]).toBe('NOT_FOUND');
    },
  );
});

const CALLS = {
  CreateSubmission: () => create(CreateSubmissionRequestSchema, { externalReference: 'x' }),
  GetSubmission: () => create(GetSubmissionRequestSchema, { submissionId }),
  GetSubmissionByReference: () => create(GetSubmissionByReferenceRequestSchema, { externalReference: 'x' }),
  DecideSubmission: () =>
    create(DecideSubmissionRequestSchema, { submissionId, decision: Status.ACCEPTED, reason: 'x' }),
};
