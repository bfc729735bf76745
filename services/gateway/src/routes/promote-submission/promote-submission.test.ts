import { Scope } from '@supplier/proto/common/v1/principal';
import { Level } from '@supplier/proto/common/v1/status';
import {
  type FakeGateway,
  fakeGateway,
  postTo,
  SUBMISSION_ID,
  submissionStatus,
} from '../../testing/fake-gateway.ts';
import { fullPromotionBody, promotionBody } from '../../testing/sample-bodies.ts';

const scopes = [Scope.PROMOTE];
const promote = (gateway: FakeGateway, body: object = promotionBody(), id = SUBMISSION_ID) =>
  gateway.app.inject(postTo(gateway, `/v1/supplier-submissions/${id}/promotion`, body));

describe('POST /v1/supplier-submissions/{submission_id}/promotion', () => {
  it('returns 200 with the status object that names the Application', async () => {
    const gateway = fakeGateway({ scopes });
    gateway.answer = () =>
      submissionStatus({
        level: Level.BASIC,
        status: 2,
        applicationReference: 'APP-0123456789',
        applicationCreatedAt: { seconds: 1_795_168_801n, nanos: 0 },
      });
    const answer = await promote(gateway, fullPromotionBody());
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({
      level: 'basic',
      status: 'accepted',
      application_reference: 'APP-0123456789',
      application_created_at: '2026-11-20T10:00:01.000Z',
    });
  });

  it('passes on the id, the key, the enquiry and the fingerprint of the body', async () => {
    const gateway = fakeGateway({ scopes });
    await promote(gateway, fullPromotionBody(), SUBMISSION_ID.toUpperCase());
    await promote(gateway, { ...fullPromotionBody(), marketing: true });
    const [one, two] = gateway.calls.map(({ request }) => request as Record<string, unknown>);
    expect(gateway.calls[0]).toMatchObject({
      name: 'promoteSubmission',
      request: {
        submissionId: SUBMISSION_ID,
        operationIdempotencyKey: 'promote-1',
        enquiry: { firstName: 'Ada', companyNumber: '01234567', residenceSince: '2019-04' },
      },
    });
    expect(one?.bodyFingerprint).toHaveLength(32);
    expect(one?.bodyFingerprint).not.toEqual(two?.bodyFingerprint);
  });

  it.each(['x', 'documents', `${SUBMISSION_ID}0`])(
    'returns 422 for the id %s, which is not a UUID',
    async (id) => {
      const gateway = fakeGateway({ scopes });
      const answer = await promote(gateway, { ...promotionBody(), marketing: 1 }, id);
      expect(answer.statusCode).toBe(422);
      expect(answer.json().error.details).toEqual([
        { path: 'submission_id', message: 'must be a UUID' },
        { path: 'marketing', message: 'must be true or false' },
      ]);
      expect(gateway.calls).toEqual([]);
    },
  );

  it('requires its own scope and accepts no other', async () => {
    const others = [Scope.CREATE_BASIC, Scope.CREATE_APPLICATION, Scope.READ, Scope.CORRECT];
    expect((await promote(fakeGateway({ scopes: others }))).statusCode).toBe(403);
  });
});
