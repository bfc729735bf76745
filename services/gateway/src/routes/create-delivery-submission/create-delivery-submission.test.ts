import { Scope } from '@supplier/proto/common/v1/principal';
import { Level } from '@supplier/proto/common/v1/status';
import {
  createdAnswer,
  type FakeGateway,
  fakeGateway,
  postTo,
  SUBMISSION_ID,
  submissionStatus,
} from '../../testing/fake-gateway.ts';
import { deliveryBody, fullDeliveryBody } from '../../testing/sample-bodies.ts';

const scopes = [Scope.CREATE_BASIC];
const submit = (gateway: FakeGateway, body: object = deliveryBody()) =>
  gateway.app.inject(postTo(gateway, '/v2/supplier-submissions', body));

describe('POST /v2/supplier-submissions', () => {
  it.each([true, false])(
    'returns 200 with the status object, whether or not the submission is new (%s)',
    async (created) => {
      const gateway = fakeGateway({ scopes });
      const submission = submissionStatus({ level: Level.BASIC, status: 2 });
      gateway.answer = () =>
        createdAnswer({ created, submission, arrivalScreenUrl: 'https://pages.example.test/a' });
      const answer = await submit(gateway);
      expect(answer.statusCode).toBe(200);
      expect(answer.json()).toMatchObject({
        level: 'basic',
        status: 'accepted',
        application_reference: null,
      });
      expect(answer.json()).not.toHaveProperty('arrival_screen_url');
    },
  );

  it('creates at basic level with everything in the body', async () => {
    const gateway = fakeGateway({ scopes });
    await submit(gateway, fullDeliveryBody());
    expect(gateway.calls).toMatchObject([
      {
        name: 'createSubmission',
        request: {
          externalReference: 'ref-1',
          level: Level.BASIC,
          enquiry: { firstName: 'Ada', notes: 'Call after five', companyNumber: '01234567' },
        },
      },
    ]);
  });

  it('rejects an invalid body before any call', async () => {
    const gateway = fakeGateway({ scopes });
    const answer = await submit(gateway, { ...deliveryBody(), funding_amount: 1 });
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.details).toEqual([
      { path: 'funding_amount', message: 'must be at least 1000' },
    ]);
    expect(gateway.calls).toEqual([]);
  });

  it('requires the scope for basic creates and does not accept the one for application-level creates', async () => {
    const gateway = fakeGateway({ scopes: [Scope.CREATE_APPLICATION, Scope.READ] });
    expect((await submit(gateway)).statusCode).toBe(403);
  });

  it('is the only operation of its version and accepts only POST', async () => {
    const gateway = fakeGateway({ scopes });
    const answer = await gateway.app.inject({ method: 'GET', url: '/v2/supplier-submissions' });
    expect(answer.statusCode).toBe(404);
    expect(answer.headers.allow).toBe('POST');
    const read = await gateway.app.inject({
      method: 'GET',
      url: `/v2/supplier-submissions/${SUBMISSION_ID}`,
    });
    expect(read.statusCode).toBe(404);
  });
});
