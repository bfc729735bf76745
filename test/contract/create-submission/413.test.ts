import { type Body, fullEnquiry } from '../../harness/enquiries.ts';
import { CREATE_PATH } from '../../harness/http.ts';
import { callRaw } from '../../harness/raw-http.ts';
import { refusalOf, submissionOf } from '../../harness/responses.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const LIMIT = 64 * 1024;

const filled = (body: Body, bytes: number): Buffer =>
  Buffer.concat([Buffer.from(JSON.stringify(body))], bytes).fill(
    ' ',
    Buffer.byteLength(JSON.stringify(body)),
  );

describe('create 413', () => {
  it.each([
    ['with a Content-Length', false],
    ['in chunks, without a length', true],
  ])('returns 413 for one byte over 64 KiB %s, and accepts 64 KiB', async (_, chunked) => {
    submissionOf(await alpha.create(filled(fullEnquiry(), LIMIT), { chunked }), 202);
    const body = fullEnquiry();
    expect(refusalOf(await alpha.create(filled(body, LIMIT + 1), { chunked }), 413)).toMatchObject({
      code: 'payload_too_large',
      details: { max_bytes: LIMIT },
    });
    refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });

  it('counts bytes, not characters', async () => {
    const body = fullEnquiry({ filler: '😀'.repeat(LIMIT / 4) });
    refusalOf(await alpha.create(body), 413);
  });

  it('returns 413 before the body arrives when its content length is over the limit', async () => {
    const head = [
      `POST ${CREATE_PATH} HTTP/1.1`,
      'Host: gateway',
      `Authorization: Bearer ${alpha.credential}`,
      'Content-Type: application/json',
      'Content-Length: 10000000000',
    ];
    refusalOf(await callRaw(originOf('sandbox'), head), 413);
  });

  it('returns 413 for a body that would not parse', async () => {
    refusalOf(await alpha.create('['.repeat(LIMIT + 1)), 413);
  });
});
