import { PreferredContactMethod } from '@supplier/proto/common/v1/enquiry';
import { Scope } from '@supplier/proto/common/v1/principal';
import { type FakeGateway, fakeGateway, postTo, SUBMISSION_ID } from '../../testing/fake-gateway.ts';
import { correctionBody } from '../../testing/sample-bodies.ts';

const scopes = [Scope.CORRECT];
const correct = (gateway: FakeGateway, body: object = correctionBody(), id = SUBMISSION_ID) =>
  gateway.app.inject(postTo(gateway, `/v1/supplier-submissions/${id}/contact-corrections`, body));

describe('POST /v1/supplier-submissions/{submission_id}/contact-corrections', () => {
  it('returns 200 with the status object', async () => {
    const answer = await correct(fakeGateway({ scopes }));
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ submission_id: SUBMISSION_ID });
  });

  it('passes on the corrected fields and no others', async () => {
    const gateway = fakeGateway({ scopes });
    await correct(gateway, { ...correctionBody(), expected_revision: Number.MAX_SAFE_INTEGER });
    await correct(gateway, { ...correctionBody(), preferred_contact_method: 'phone' });
    const [call, second] = gateway.calls;
    expect(call).toMatchObject({
      name: 'correctContact',
      request: {
        submissionId: SUBMISSION_ID,
        operationIdempotencyKey: 'correct-1',
        expectedRevision: 9_007_199_254_740_991n,
        contact: {
          telephone: '+44 20 7946 0001',
          preferredContactMethod: PreferredContactMethod.UNSPECIFIED,
        },
      },
    });
    const { contact } = (call?.request ?? {}) as { contact?: object };
    expect(contact).toBeDefined();
    expect(contact).not.toHaveProperty('email');
    expect(contact).not.toHaveProperty('firstName');
    expect(second?.request).toMatchObject({
      contact: { preferredContactMethod: PreferredContactMethod.PHONE },
    });
  });

  it('returns 422 for an id that is not a UUID and for a body that corrects nothing', async () => {
    const gateway = fakeGateway({ scopes });
    const noId = await correct(gateway, correctionBody(), 'no-uuid');
    expect(noId.json().error.details).toEqual([{ path: 'submission_id', message: 'must be a UUID' }]);
    const { telephone: _left, ...empty } = correctionBody();
    expect((await correct(gateway, empty)).statusCode).toBe(422);
    expect(gateway.calls).toEqual([]);
  });

  it('requires its own scope and accepts no other', async () => {
    const others = [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION, Scope.READ, Scope.PROMOTE];
    expect((await correct(fakeGateway({ scopes: others }))).statusCode).toBe(403);
  });
});
