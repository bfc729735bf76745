import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import {
  createdAnswer,
  createRequest,
  fakeGateway,
  SUBMISSION_ID,
  submissionStatus,
} from '../../testing/fake-gateway.ts';
import { fullBody, sampleBody } from '../../testing/sample-body.ts';

describe('POST /v1/supplier-submissions', () => {
  it('returns 202 with the status object for a new submission', async () => {
    const gateway = fakeGateway();
    const answer = await gateway.app.inject(createRequest(gateway, fullBody()));
    expect(answer.statusCode).toBe(202);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.json()).toEqual({
      environment: 'sandbox',
      submission_id: SUBMISSION_ID,
      external_reference: 'ref-1',
      level: 'application',
      status: 'received',
      received_at: '2026-11-20T10:00:00.000Z',
      decided_at: null,
      application_reference: null,
      application_created_at: null,
      billing: {
        billing_status: 'not_billable',
        billable_at: null,
        billing_model: 'accepted_submission',
        not_billable_reason: 'sandbox',
      },
    });
  });

  it('returns 200 with the current state for a replay', async () => {
    const gateway = fakeGateway();
    gateway.answer = () => createdAnswer({ created: false, submission: submissionStatus({ status: 4 }) });
    const answer = await gateway.app.inject(createRequest(gateway, sampleBody()));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ status: 'rejected' });
  });

  it('returns the arrival screen if there is one', async () => {
    const gateway = fakeGateway();
    gateway.answer = () => createdAnswer({ arrivalScreenUrl: 'https://pages.example.test/a/x' });
    const answer = await gateway.app.inject(createRequest(gateway, sampleBody()));
    expect(answer.json()).toMatchObject({ arrival_screen_url: 'https://pages.example.test/a/x' });
  });

  it('calls on behalf of the authenticated supplier', async () => {
    const gateway = fakeGateway();
    await gateway.app.inject(createRequest(gateway, sampleBody()));
    const [call] = gateway.calls;
    const header = [...(call?.headers ?? [])]
      .map(([, value]) => Buffer.from(value, 'base64url').toString())
      .join();
    expect(header).toContain(gateway.credential.accountId);
    expect(call?.request).toMatchObject({ externalReference: 'ref-1' });
  });

  it('gives the call the rest of 4.5 s after authentication', async () => {
    const gateway = fakeGateway();
    const { find } = gateway.context.credentials;
    const slow = fakeGateway({
      find: async (id) => {
        await new Promise((resolve) => setTimeout(resolve, 50));
        return find(id);
      },
    });
    await gateway.app.inject(createRequest(gateway, sampleBody()));
    await slow.app.inject({ ...createRequest(gateway, sampleBody()) });
    const [quick, slowly] = [gateway.calls[0]?.timeoutMs ?? 0, slow.calls[0]?.timeoutMs ?? 0];
    expect(quick).toBeGreaterThan(4_400);
    expect(quick).toBeLessThanOrEqual(4_500);
    expect(slowly).toBeLessThanOrEqual(4_451);
  });

  it('returns 409 and the submission that has the reference', async () => {
    const gateway = fakeGateway();
    gateway.answer = () => {
      throw refuse(RefusalCode.EXTERNAL_REFERENCE_CONFLICT, 'The reference is taken.', {
        submissionId: SUBMISSION_ID,
      });
    };
    const answer = await gateway.app.inject(createRequest(gateway, sampleBody()));
    expect(answer.statusCode).toBe(409);
    expect(answer.json()).toEqual({
      error: {
        code: 'external_reference_conflict',
        message: 'The reference is taken.',
        details: { submission_id: SUBMISSION_ID },
      },
    });
  });

  it.each([
    ['a broken service', () => new ConnectError('constraint s3cret', Code.Internal)],
    ['an empty response', () => createdAnswer({ submission: undefined })],
    ['an unknown state', () => createdAnswer({ submission: submissionStatus({ status: 99 as never }) })],
  ])('returns 503 with Retry-After on %s and does not disclose the cause', async (_what, make) => {
    const gateway = fakeGateway();
    gateway.answer = () => {
      const made = make();
      if (made instanceof Error) throw made;
      return made;
    };
    const answer = await gateway.app.inject(createRequest(gateway, sampleBody()));
    expect(answer.statusCode).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThanOrEqual(1);
    expect(answer.json()).toEqual({
      error: {
        code: 'service_unavailable',
        message: expect.stringMatching(/^The service is temporarily unavailable/),
      },
    });
    expect(gateway.logLines.some((line) => line.includes('"err"'))).toBe(true);
  });

  it('rejects an invalid body before any call', async () => {
    const gateway = fakeGateway();
    const answer = await gateway.app.inject(
      createRequest(gateway, { ...sampleBody(), funding_amount: '1000' }),
    );
    expect(answer.statusCode).toBe(422);
    expect(answer.json()).toEqual({
      error: {
        code: 'validation_error',
        message: expect.any(String),
        details: [{ path: 'funding_amount', message: 'must be a whole number' }],
      },
    });
    expect(gateway.calls).toEqual([]);
  });

  it('logs nothing of a body', async () => {
    const gateway = fakeGateway();
    await gateway.app.inject(createRequest(gateway, sampleBody()));
    await gateway.app.inject(createRequest(gateway, { ...sampleBody(), email: '' }));
    await gateway.app.inject(createRequest(gateway, '{"email":"ada@example.test",'));
    gateway.answer = () => {
      throw new Error(JSON.stringify(sampleBody()));
    };
    await gateway.app.inject(createRequest(gateway, sampleBody()));
    const log = gateway.logLines.join('\n');
    for (const secret of ['Ada', 'example.test', 'Engines', 'ref-1', gateway.bearer])
      expect(log).not.toContain(secret);
    expect(log).toContain('"status":202');
  });
});
