import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { type FakeGateway, fakeGateway, SUBMISSION_ID } from '../../testing/fake-gateway.ts';

const get = (gateway: FakeGateway, url: string) =>
  gateway.app.inject({ method: 'GET', url, headers: { authorization: `Bearer ${gateway.bearer}` } });

describe('GET /v1/supplier-submissions/{submission_id}', () => {
  it('returns 200 with the status object', async () => {
    const gateway = fakeGateway();
    const answer = await get(gateway, `/v1/supplier-submissions/${SUBMISSION_ID}`);
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ submission_id: SUBMISSION_ID, status: 'received' });
    expect(gateway.calls[0]?.request).toMatchObject({ submissionId: SUBMISSION_ID });
  });

  it('accepts an id in either case and ignores the query', async () => {
    const gateway = fakeGateway();
    const answer = await get(gateway, `/v1/supplier-submissions/${SUBMISSION_ID.toUpperCase()}?x=%2f`);
    expect(answer.statusCode).toBe(200);
    expect(gateway.calls[0]?.request).toMatchObject({ submissionId: SUBMISSION_ID });
  });

  it.each(['x', '1', `${SUBMISSION_ID}x`, '%00', '%20', 'a'.repeat(2000), `%7B${SUBMISSION_ID}%7D`])(
    'returns 422 for the id %s',
    async (id) => {
      const gateway = fakeGateway();
      const answer = await get(gateway, `/v1/supplier-submissions/${id}`);
      expect(answer.statusCode).toBe(422);
      expect(answer.json().error).toMatchObject({
        code: 'validation_error',
        details: [{ path: 'submission_id', message: 'must be a UUID' }],
      });
      expect(gateway.calls).toEqual([]);
    },
  );

  it('returns 404 for an id that is unknown or another supplier’s', async () => {
    const gateway = fakeGateway();
    gateway.answer = () => {
      throw refuse(RefusalCode.NOT_FOUND, 'There is no such submission.');
    };
    const answer = await get(gateway, `/v1/supplier-submissions/${SUBMISSION_ID}`);
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual({ error: { code: 'not_found', message: 'There is no such submission.' } });
  });

  it.each([
    `/v1/supplier-submissions/${SUBMISSION_ID}/`,
    `/v1/supplier-submissions/${SUBMISSION_ID}%2f`,
    `/v1/supplier-submissions%2F${SUBMISSION_ID}`,
    `/v1/supplier-submissions//${SUBMISSION_ID}`,
    `/v1/supplier-submissions/a%2fb`,
    `//v1/supplier-submissions/${SUBMISSION_ID}`,
    `/V1/supplier-submissions/${SUBMISSION_ID}`,
    `/v1/supplier-submissions/${SUBMISSION_ID};x=1/y`,
  ])('returns 404 for the path %s', async (url) => {
    const gateway = fakeGateway();
    const answer = await get(gateway, url);
    expect(answer.statusCode).toBe(404);
    expect(answer.json().error.code).toBe('not_found');
    expect(gateway.calls).toEqual([]);
  });
});
