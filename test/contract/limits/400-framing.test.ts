import { CREATE_PATH, someAddress } from '../../harness/http.ts';
import { callRaw } from '../../harness/raw-http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { originOf } from '../../harness/suppliers.ts';

const POST = `POST ${CREATE_PATH} HTTP/1.1`;

describe('a request with ambiguous framing', () => {
  it.each([
    ['no host, by HTTP/1.0', ['GET / HTTP/1.0']],
    ['two hosts', ['GET / HTTP/1.1', 'Host: a', 'Host: b']],
    ['a malformed host', ['GET / HTTP/1.1', 'Host: a/b']],
    ['both a length and chunks', [POST, 'Host: gateway', 'Content-Length: 5', 'Transfer-Encoding: chunked']],
    ['chunked and another encoding', [POST, 'Host: gateway', 'Transfer-Encoding: gzip, chunked']],
    ['chunks by HTTP/1.0', [`POST ${CREATE_PATH} HTTP/1.0`, 'Host: gateway', 'Transfer-Encoding: chunked']],
  ])('returns 400 for %s', async (_what, head) => {
    const answer = await callRaw(originOf('sandbox'), head);
    expect(refusalOf(answer, 400).code).toBe('bad_request');
    expect(answer.headers.connection).toBe('close');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
  });
});

describe('a refused request whose body never arrives', () => {
  it.each([
    ['without a credential', [POST, 'Host: gateway', 'Content-Length: 100'], 401],
    ['to an unknown path', ['POST /nowhere HTTP/1.1', 'Host: gateway', 'Content-Length: 100'], 404],
    [
      'that waits for 100 Continue',
      [POST, 'Host: gateway', 'Content-Length: 100', 'Expect: 100-continue'],
      401,
    ],
  ])('gets a response and its connection is closed: %s', async (_what, head, status) => {
    const answer = await callRaw(originOf('sandbox'), [...head, `X-Forwarded-For: ${someAddress()}`]);
    refusalOf(answer, status);
    expect(answer.headers.connection).toBe('close');
  });
});
