import { enquiry } from '../../harness/enquiries.ts';
import { CREATE_PATH } from '../../harness/http.ts';
import { callRaw } from '../../harness/raw-http.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

describe('X-Request-Id', () => {
  it.each(['a', '~!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'x'.repeat(128)])(
    'is echoed when it has 1 to 128 visible characters: %s',
    async (id) => {
      const answer = await alpha.create(enquiry(), { headers: { 'x-request-id': id } });
      submissionOf(answer, 202);
      expect(answer.requestId).toBe(id);
    },
  );

  it.each([
    ['of 129 characters', 'x'.repeat(129)],
    ['with a space', 'a b'],
    ['with a tab', 'a\tb'],
    ['with a non-ASCII character', 'caf\u00e9'],
    ['that is empty', ''],
  ])('an id %s is replaced by a new UUID, and the request is processed', async (_, id) => {
    const answer = await alpha.create(enquiry(), { headers: { 'x-request-id': id } });
    submissionOf(answer, 202);
    expect(answer.requestId).toMatch(UUID);
  });

  it('is generated when absent, with a different value for each request', async () => {
    const [first, second] = [await alpha.create(enquiry()), await alpha.create(enquiry())];
    expect(first.requestId).toMatch(UUID);
    expect(second.requestId).toMatch(UUID);
    expect(first.requestId).not.toBe(second.requestId);
  });

  it.each([
    [400, '{', {}],
    [401, '{}', { credential: 'x' }],
    [404, '{}', { path: '/nowhere' }],
    [413, 'x'.repeat(70_000), {}],
    [422, '{}', {}],
  ])('is on a %d response too', async (status, body, how) => {
    const id = `given-${status}`;
    const answer = await alpha.create(body, { ...how, headers: { 'x-request-id': id } });
    refusalOf(answer, status);
    expect(answer.requestId).toBe(id);
  });

  it.each([
    ['a bad line', ['POST / HTTP/1.1', 'Host: gateway', 'no colon here']],
    [
      'a length that is not a number',
      [`POST ${CREATE_PATH} HTTP/1.1`, 'Host: gateway', 'Content-Length: many'],
    ],
    ['endless headers', ['GET / HTTP/1.1', 'Host: gateway', `X-Long: ${'x'.repeat(40_000)}`]],
  ])('is on the 400 to a request that is not HTTP: %s', async (_, head) => {
    expect(refusalOf(await callRaw(originOf('sandbox'), head), 400).code).toBe('bad_request');
  });
});
