import { type FakeGateway, fakeGateway, SUBMISSION_ID } from '../../testing/fake-gateway.ts';

const get = (gateway: FakeGateway, query: string) =>
  gateway.app.inject({
    method: 'GET',
    url: `/v1/supplier-submissions${query}`,
    headers: { authorization: `Bearer ${gateway.bearer}` },
  });

describe('GET /v1/supplier-submissions?external_reference=', () => {
  it('returns 200 with the status object', async () => {
    const gateway = fakeGateway();
    const answer = await get(gateway, '?external_reference=ref-1');
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toMatchObject({ submission_id: SUBMISSION_ID });
  });

  it.each([
    ['?external_reference=a%2Bb', 'a+b'],
    ['?external_reference=a+b', 'a b'],
    ['?external_reference=a=b', 'a=b'],
    ['?external_reference=%C3%A9%26', 'é&'],
    ['?external%5Freference=x', 'x'],
    ['?other=1&external_reference=x&other=2&bad=%zz', 'x'],
    [`?external_reference=${encodeURIComponent('\u{1f600}'.repeat(128))}`, '\u{1f600}'.repeat(128)],
  ])('decodes %s', async (query, externalReference) => {
    const gateway = fakeGateway();
    expect((await get(gateway, query)).statusCode).toBe(200);
    expect(gateway.calls[0]?.request).toMatchObject({ externalReference });
  });

  it.each([
    '',
    '?',
    '?reference=x',
    '?External_Reference=x',
    '?external_reference=a&external_reference=b',
    '?external_reference=a&external_reference=a',
    '?external_reference=a&external%5freference=b',
    '?external_reference=%',
    '?external_reference=%ff',
    '?external_reference=%ED%A0%80',
  ])('returns 400 for the query "%s"', async (query) => {
    const gateway = fakeGateway();
    const answer = await get(gateway, query);
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error.code).toBe('bad_request');
    expect(gateway.calls).toEqual([]);
  });

  it.each([
    '?external_reference=',
    '?external_reference',
    `?external_reference=${'x'.repeat(129)}`,
    '?external_reference=a%00',
  ])('returns 422 for the query "%s"', async (query) => {
    const gateway = fakeGateway();
    const answer = await get(gateway, query);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.details).toEqual([
      { path: 'external_reference', message: expect.any(String) },
    ]);
    expect(gateway.calls).toEqual([]);
  });
});
