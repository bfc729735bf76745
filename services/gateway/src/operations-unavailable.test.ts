import { Code, ConnectError } from '@connectrpc/connect';
import { Scope } from '@supplier/proto/common/v1/principal';
import { operations } from './operations.ts';
import { fakeGateway, SUBMISSION_ID } from './testing/fake-gateway.ts';
import {
  correctionBody,
  deliveryBody,
  finalizeBody,
  promotionBody,
  uploadBody,
} from './testing/sample-bodies.ts';
import { sampleBody } from './testing/sample-body.ts';

const BODIES: Readonly<Record<string, object>> = {
  createSubmission: sampleBody(),
  createDeliverySubmission: deliveryBody(),
  promoteSubmission: promotionBody(),
  correctContact: correctionBody(),
  createUploadUrl: uploadBody(),
  finalizeUpload: finalizeBody(),
};
const EVERYTHING = [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION, Scope.READ, Scope.CORRECT, Scope.PROMOTE];
const QUERIES: Readonly<Record<string, string>> = { getSubmissionByReference: '?external_reference=ref-1' };

const FAILURES: readonly (readonly [string, () => Error])[] = [
  ['cannot be reached', () => new ConnectError('no answer', Code.Unavailable)],
  ['does not respond in time', () => new ConnectError('too slow', Code.DeadlineExceeded)],
  ['is overloaded', () => new ConnectError('too busy', Code.ResourceExhausted)],
  ['fails unexpectedly', () => new TypeError('x of undefined')],
];

describe.each(operations.map((one) => [one.reference.id, one] as const))('%s', (id, { method, path }) => {
  it.each(FAILURES)('returns 503 with Retry-After when its service %s', async (_, failure) => {
    const gateway = fakeGateway({ scopes: EVERYTHING });
    gateway.answer = () => {
      throw failure();
    };
    const body = BODIES[id];
    const answer = await gateway.app.inject({
      method,
      url: path.replace(':submission_id', SUBMISSION_ID) + (QUERIES[id] ?? ''),
      headers: {
        authorization: `Bearer ${gateway.bearer}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { payload: body } : {}),
    });
    expect(gateway.calls).toHaveLength(1);
    expect(answer.statusCode).toBe(503);
    expect(answer.json().error.code).toBe('service_unavailable');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(answer.headers).toHaveProperty('x-request-id');
  });
});
