import { gzipSync } from 'node:zlib';
import { createRequest, fakeGateway } from '../testing/fake-gateway.ts';
import { sampleBody } from '../testing/sample-body.ts';

const gateway = fakeGateway();

async function send(payload: string | Buffer, headers: Record<string, string> = {}) {
  gateway.calls.length = 0;
  const request = createRequest(gateway, payload);
  const answer = await gateway.app.inject({ ...request, headers: { ...request.headers, ...headers } });
  if (answer.statusCode >= 400) expect(gateway.calls).toEqual([]);
  return answer;
}

const good = JSON.stringify(sampleBody());

describe('media type of a body', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"; x=y',
    'application/json ; charset=utf-8',
    'application/json;',
    'application/json\t;',
  ])('accepts "%s" and validates the body', async (type) => {
    expect((await send(good, { 'content-type': type })).statusCode).toBe(202);
    expect((await send('{}', { 'content-type': type })).statusCode).toBe(422);
  });

  it.each([
    '',
    'text/plain',
    'application/jsonx',
    'application/json+x',
    'application/problem+json',
    'application',
    'application/json, text/plain',
    'application/json; charset',
    'application/json; =x',
    'application/json x',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
  ])('rejects "%s"', async (type) => {
    const answer = await send(good, { 'content-type': type });
    expect(answer.statusCode).toBe(400);
    expect(answer.json().error).toEqual({
      code: 'bad_request',
      message: 'Send JSON with the header Content-Type: application/json.',
    });
  });

  it('is required', async () => {
    const { headers, ...request } = createRequest(gateway, Buffer.from(good));
    const { authorization } = headers;
    expect((await gateway.app.inject({ ...request, headers: { authorization } })).statusCode).toBe(400);
  });

  it.each(['gzip', 'identity', ''])('must come without a Content-Encoding, here "%s"', async (encoding) => {
    expect((await send(good, { 'content-encoding': encoding })).statusCode).toBe(400);
  });
});

describe('size of a body', () => {
  const padded = (size: number) => good + ' '.repeat(size - good.length);

  it('can be 65,536 bytes', async () => {
    expect((await send(padded(65_536))).statusCode).toBe(202);
  });

  it('cannot be one byte more, and the response states the maximum', async () => {
    const answer = await send(padded(65_537));
    expect(answer.statusCode).toBe(413);
    expect(answer.json().error).toEqual({
      code: 'payload_too_large',
      message: expect.any(String),
      details: { max_bytes: 65_536 },
    });
  });

  it('cannot be zero', async () => {
    expect((await send('')).statusCode).toBe(400);
    expect((await send(' ')).statusCode).toBe(400);
  });
});

describe('JSON of a body', () => {
  it.each([
    ['is cut off', '{"a":'],
    ['is not UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['repeats a key', '{"level":"application","level":"application"}'],
    ['repeats a key in another spelling', '{"level":1,"\\u006cevel":1}'],
    ['is nested 10,000 deep', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`],
    ['is nested 33 deep', `{"a":${'['.repeat(32)}${']'.repeat(32)}}`],
  ])('is rejected with 400 when it %s', async (_what, payload) => {
    const answer = await send(payload);
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual({ error: { code: 'bad_request', message: expect.any(String) } });
  });

  const utf16 = Buffer.from(good, 'utf16le');
  const wide = 'The body is not UTF-8 but looks like UTF-16. Send UTF-8.';
  it.each([
    [
      'has a byte order mark',
      Buffer.from(`\ufeff${good}`),
      'The body starts with a byte order mark. Send UTF-8 without one.',
    ],
    ['is UTF-16 with a byte order mark', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16]), wide],
    ['is UTF-16 without one', utf16, wide],
    ['is big-endian UTF-16', Buffer.from(utf16).swap16(), wide],
    ['is Latin-1', Buffer.from('{"a":"é"}', 'latin1'), 'The body is not valid UTF-8. Encode it as UTF-8.'],
    ['is compressed', gzipSync(good), 'The body is compressed. Send it uncompressed.'],
    ['is a form', 'first_name=Ada&last_name=Byron', 'The body is a form. Send a JSON object.'],
    ['is empty', '', 'The body is empty. Send a JSON object.'],
    [
      'has a trailing comma',
      good.replace(/}$/, ',\n}'),
      'The body is not valid JSON at line 2, column 1. Remove the comma before the closing bracket.',
    ],
  ])('gets a message that explains how to fix a body that %s', async (_what, payload, message) => {
    const answer = await send(payload);
    expect([answer.statusCode, answer.json()]).toEqual([400, { error: { code: 'bad_request', message } }]);
  });

  it.each([
    ['NUL', good.replace('"Ada"', '"A\\u0000a"'), 'first_name'],
    ['an unpaired surrogate', good.replace('"Ada"', '"A\\ud800a"'), 'first_name'],
    ['a number beyond the range of a double', good.replace('25000', '1e400'), 'funding_amount'],
    ['a number as text', good.replace('25000', '"25000"'), 'funding_amount'],
    ['a fraction', good.replace('25000', '1000.5'), 'funding_amount'],
    ['a prototype', good.replace('{', '{"__proto__":{},'), '__proto__'],
    ['a constructor', good.replace('{', '{"constructor":{},'), 'constructor'],
    ['something other than an object', '[]', ''],
  ])('is rejected with 422 when it has %s', async (_what, payload, path) => {
    const answer = await send(payload);
    expect(answer.statusCode).toBe(422);
    expect(answer.json().error.details.map((violation: { path: string }) => violation.path)).toContain(path);
  });

  it('accepts an integer with a zero fraction', async () => {
    expect((await send(good.replace('25000', '1000.0'))).statusCode).toBe(202);
    expect((await send(good.replace('25000', '1e3'))).statusCode).toBe(202);
  });
});
