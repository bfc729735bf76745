import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import type { CallOptions } from '@connectrpc/connect';
import { generateCredential, hashSecret } from '@supplier/lib/rpc/credential';
import { createLogger } from '@supplier/lib/runtime/log';
import { Registry } from '@supplier/lib/runtime/metrics';
import { currentContext } from '@supplier/lib/runtime/request-context';
import { PrincipalSchema, Scope } from '@supplier/proto/common/v1/principal';
import { Environment, SubmissionStatusSchema } from '@supplier/proto/common/v1/status';
import { CreateSubmissionResponseSchema } from '@supplier/proto/submission/v1/create_submission';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../app.ts';
import type { KnownCredential } from '../authentication/known-credential.ts';
import { readConfig } from '../config.ts';
import type { Context } from '../context.ts';
import { PASSES } from '../limits/limit.ts';
import { gatewayMetrics } from '../metrics.ts';
import type { DocumentCalls, SubmissionCalls } from '../service-calls.ts';
import { knownCredential } from './sample-credential.ts';

export const SUBMISSION_ID = '01890000-0000-7000-8000-000000000001';

const environment = {
  SSS_DEPLOYMENT: 'local',
  SSS_HTTP_PORT: '1',
  SSS_PAGES_PORT: '2',
  SSS_PRIVATE_PORT: '7',
  SSS_ENVIRONMENT: 'sandbox',
  SSS_ACCOUNT_URL: 'http://127.0.0.1:3',
  SSS_SUBMISSION_URL: 'http://127.0.0.1:4',
  SSS_DOCUMENT_URL: 'http://127.0.0.1:5',
  SSS_NATS_URL: 'nats://127.0.0.1:6',
  SSS_SERVICE_TOKEN_DIR: '/nowhere',
};

/** A call that reached a service behind the gateway. */
export interface RecordedCall {
  readonly name: keyof SubmissionCalls | keyof DocumentCalls;
  readonly request: unknown;
  readonly headers: Headers;
  readonly timeoutMs: number | undefined;
  /** Request id of the context in which the call was made. */
  readonly requestId: string | undefined;
}

export interface FakeGateway {
  readonly app: FastifyInstance;
  readonly context: Context;
  readonly registry: Registry;
  /** A sandbox credential with the test's scopes. */
  readonly bearer: string;
  readonly credential: KnownCredential;
  readonly calls: RecordedCall[];
  readonly logLines: string[];
  /** Response of the services to subsequent calls. */
  answer: (call: RecordedCall) => unknown;
}

interface Overrides {
  readonly env?: Record<string, string>;
  readonly credential?: Partial<KnownCredential>;
  readonly scopes?: Scope[];
  readonly find?: Context['credentials']['find'];
  readonly credentials?: Context['credentials'];
  /** Counts requests; by default everything passes. */
  readonly checkLimit?: Context['checkLimit'];
  readonly now?: Date;
  readonly maxInFlight?: number;
}

/** Creates a gateway whose services are replaced by functions of the test. */
export function fakeGateway(overrides: Overrides = {}): FakeGateway {
  const { bearer, publicId, secret } = generateCredential('sss', 'test');
  const issued = knownCredential({ secretHash: hashSecret(secret), ...overrides.credential });
  const scopes = overrides.scopes ?? [Scope.CREATE_APPLICATION, Scope.READ];
  const credential = { ...issued, principal: create(PrincipalSchema, { ...issued.principal, scopes }) };
  const calls: RecordedCall[] = [];
  const logLines: string[] = [];
  const registry = new Registry();
  const call =
    (name: RecordedCall['name']) =>
    async (request: unknown, options?: CallOptions): Promise<never> => {
      const recorded = {
        name,
        request,
        headers: new Headers(options?.headers),
        timeoutMs: options?.timeoutMs,
        requestId: currentContext()?.requestId,
      };
      calls.push(recorded);
      return (await gateway.answer(recorded)) as never;
    };
  const submission = {
    createSubmission: call('createSubmission'),
    getSubmission: call('getSubmission'),
    getSubmissionByReference: call('getSubmissionByReference'),
    promoteSubmission: call('promoteSubmission'),
    correctContact: call('correctContact'),
    getJourneyLink: call('getJourneyLink'),
    redeemJourneyLink: call('redeemJourneyLink'),
  };
  const context: Context = {
    config: readConfig({ ...environment, ...overrides.env }),
    log: createLogger('gateway', 'debug', { write: (line) => logLines.push(line) }),
    clock: { now: () => overrides.now ?? new Date('2026-11-20T10:00:00Z') },
    submission,
    submissionForPages: submission,
    document: { createUpload: call('createUpload'), finalizeUpload: call('finalizeUpload') },
    credentials: overrides.credentials ?? {
      find: overrides.find ?? (async (id) => (id === publicId ? credential : undefined)),
      knows: () => false,
      dummyLookup: async () => {},
    },
    checkLimit: overrides.checkLimit ?? (async () => PASSES),
    metrics: gatewayMetrics(registry),
  };
  const gateway: FakeGateway = {
    app: buildApp(context, overrides.maxInFlight),
    context,
    registry,
    bearer,
    credential,
    calls,
    logLines,
    answer: ({ name }) => (name === 'createSubmission' ? createdAnswer() : submissionStatus()),
  };
  return gateway;
}

type Changes<Desc extends DescMessage> = Omit<MessageInitShape<Desc>, '$typeName'>;

/** Returns a submission as it is right after a create in the sandbox. */
export function submissionStatus(changes: Changes<typeof SubmissionStatusSchema> = {}) {
  return create(SubmissionStatusSchema, {
    environment: Environment.SANDBOX,
    submissionId: SUBMISSION_ID,
    externalReference: 'ref-1',
    level: 2,
    status: 1,
    receivedAt: { seconds: 1_795_168_800n, nanos: 0 },
    billing: { billingStatus: 3, billingModel: 1, notBillableReason: 3 },
    ...changes,
  });
}

export function createdAnswer(changes: Changes<typeof CreateSubmissionResponseSchema> = {}) {
  return create(CreateSubmissionResponseSchema, {
    submission: submissionStatus(),
    created: true,
    ...changes,
  });
}

/** Returns a POST request with the gateway's own credential. */
export function postTo({ bearer }: FakeGateway, url: string, payload: string | Buffer | object) {
  return {
    method: 'POST' as const,
    url,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    payload,
  };
}

/** Returns a valid create request, which tests can modify. */
export function createRequest(gateway: FakeGateway, payload: string | Buffer | object) {
  return postTo(gateway, '/v1/supplier-submissions', payload);
}
