import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { fullEnquiry } from '../../harness/enquiries.ts';
import { CREATE_PATH } from '../../harness/http.ts';
import { callRaw } from '../../harness/raw-http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');

describe('create with another content type', () => {
  it.each([
    'text/plain',
    'text/json',
    'application/problem+json',
    'application/jsonp',
    'application/json-seq',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/octet-stream',
    'application',
    'json',
    '*/*',
    '; application/json',
  ])('returns 400 for %s', async (type) => {
    const body = fullEnquiry();
    refusalOf(await alpha.create(body, { headers: { 'content-type': type } }), 400);
    refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });

  it('returns 400 without a content type', async () => {
    refusalOf(await alpha.create(fullEnquiry(), { headers: { 'content-type': undefined } }), 400);
  });

  it.each(['application/json\t;', 'application/json;', 'application/json\t; charset=utf-8'])(
    '%j does not bypass the schema',
    async (type) => {
      const answer = await alpha.create('{"level":"basic"}', { headers: { 'content-type': type } });
      expect([400, 422]).toContain(answer.status);
    },
  );
});

describe('create with an encoded body', () => {
  const text = JSON.stringify(fullEnquiry());
  it.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['br', brotliCompressSync(text)],
    ['something', Buffer.from(text)],
  ])('returns 400 for the encoding %s', async (encoding, bytes) => {
    refusalOf(await alpha.create(bytes, { headers: { 'content-encoding': encoding } }), 400);
  });
});

describe('create with an empty body', () => {
  const head = [
    `POST ${CREATE_PATH} HTTP/1.1`,
    'Host: gateway',
    `Authorization: Bearer ${alpha.credential}`,
    'Connection: close',
  ];
  it.each([
    ['of length 0', ['Content-Type: application/json', 'Content-Length: 0'], ''],
    ['without a length', ['Content-Type: application/json'], ''],
    ['of zero chunks', ['Content-Type: application/json', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['without a content type', ['Content-Length: 0'], ''],
  ])('returns 400 for a body %s', async (_, lines, body) => {
    refusalOf(await callRaw(originOf('sandbox'), [...head, ...lines], body), 400);
  });
});
