import { randomUUID } from 'node:crypto';
import { create, type Message, toBinary } from '@bufbuild/protobuf';
import { status } from '@grpc/grpc-js';
import { PrincipalSchema, Scope } from '@supplier/proto/common/v1/principal';
import { Environment, Level } from '@supplier/proto/common/v1/status';
import {
  CreateUploadRequestSchema,
  DocumentService,
  FinalizeUploadRequestSchema,
} from '@supplier/proto/document/v1/document';
import { CreateSubmissionRequestSchema } from '@supplier/proto/submission/v1/create_submission';
import { GetSubmissionByReferenceRequestSchema } from '@supplier/proto/submission/v1/find_submission';
import { PromoteSubmissionRequestSchema } from '@supplier/proto/submission/v1/promote_submission';
import {
  CorrectContactRequestSchema,
  GetSubmissionRequestSchema,
  SubmissionService,
} from '@supplier/proto/submission/v1/submission';
import { ALL_SCOPES } from '../../harness/accounts.ts';
import { grpcCall } from '../../harness/grpc.ts';
import { token } from '../../harness/tokens.ts';

const submissionId = randomUUID();
const externalReference = `ref-${randomUUID()}`;
const CREATE = [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION];
const level = (of: Level) => () =>
  create(CreateSubmissionRequestSchema, {
    externalReference,
    level: of,
    // Incomplete: a permitted caller gets a validation error, and nothing is stored.
    enquiry: {},
    bodyFingerprint: new Uint8Array(32),
  });

/** The gateway's calls for suppliers, with the scopes that each operation needs. */
const CALLS: [what: string, method: string, asked: () => Message, scopes: readonly Scope[]][] = [
  ['CreateSubmission, basic', 'CreateSubmission', level(Level.BASIC), [Scope.CREATE_BASIC]],
  ['CreateSubmission, application', 'CreateSubmission', level(Level.APPLICATION), [Scope.CREATE_APPLICATION]],
  [
    'GetSubmission',
    'GetSubmission',
    () => create(GetSubmissionRequestSchema, { submissionId }),
    [Scope.READ],
  ],
  [
    'GetSubmissionByReference',
    'GetSubmissionByReference',
    () => create(GetSubmissionByReferenceRequestSchema, { externalReference }),
    [Scope.READ],
  ],
  [
    'PromoteSubmission',
    'PromoteSubmission',
    () => create(PromoteSubmissionRequestSchema, { submissionId }),
    [Scope.PROMOTE],
  ],
  [
    'CorrectContact',
    'CorrectContact',
    () => create(CorrectContactRequestSchema, { submissionId }),
    [Scope.CORRECT],
  ],
  ['CreateUpload', 'CreateUpload', () => create(CreateUploadRequestSchema, { externalReference }), CREATE],
  [
    'FinalizeUpload',
    'FinalizeUpload',
    () => create(FinalizeUploadRequestSchema, { externalReference, documentId: randomUUID() }),
    CREATE,
  ],
];

async function codeOf(method: string, asked: Message, scopes: readonly Scope[] | undefined): Promise<string> {
  const [name, service] = DocumentService.methods.some((m) => m.name === method)
    ? (['document', DocumentService] as const)
    : (['submission', SubmissionService] as const);
  const bearer = token({ roles: ['service:gateway'], audience: name });
  const { code } = await grpcCall(name, service, method, asked, bearer, scopes ? onBehalf(scopes) : {});
  return status[code] ?? '';
}

function onBehalf(scopes: readonly Scope[]): Record<string, string> {
  const principal = create(PrincipalSchema, {
    accountId: randomUUID(),
    credentialId: randomUUID(),
    environment: Environment.SANDBOX,
    scopes: [...scopes],
    terms: {},
  });
  return { 'x-supplier-principal': Buffer.from(toBinary(PrincipalSchema, principal)).toString('base64url') };
}

describe('the gateway on behalf of a supplier', () => {
  it.each(CALLS)('%s is permitted only with the required scope', async (_what, method, asked, needed) => {
    for (const scope of ALL_SCOPES) {
      const code = await codeOf(method, asked(), [scope]);
      expect([Scope[scope], code === 'PERMISSION_DENIED']).toEqual([Scope[scope], !needed.includes(scope)]);
    }
  });

  it.each(CALLS)('%s is refused without a scope or without a supplier', async (_what, method, asked) => {
    expect(await codeOf(method, asked(), [])).toBe('PERMISSION_DENIED');
    expect(await codeOf(method, asked(), undefined)).toBe('PERMISSION_DENIED');
  });
});
