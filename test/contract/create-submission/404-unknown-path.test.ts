import { randomUUID } from 'node:crypto';
import { enquiry } from '../../harness/enquiries.ts';
import { CREATE_PATH } from '../../harness/http.ts';
import { callRaw } from '../../harness/raw-http.ts';
import { refusalOf } from '../../harness/responses.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';

const alpha = supplier('alpha');
const allowed = (header: unknown): string[] => String(header).split(/, */).sort();

describe('an unknown path', () => {
  it.each([
    '/',
    '/v1',
    '/v1/',
    '/v1/supplier-submission',
    `${CREATE_PATH}/`,
    `${CREATE_PATH}//`,
    `/${CREATE_PATH}`,
    '/v1//supplier-submissions',
    '/v1%2fsupplier-submissions',
    '/v1%2Fsupplier-submissions',
    '/V1/supplier-submissions',
    '/v1/Supplier-Submissions',
    '/v1/supplier-submissions;x=1',
    '/v1/./supplier-submissions/x/y',
    '/v3/supplier-submissions',
    '/openapi.json',
    '/docs',
    '/livez',
    '/v1/%zz',
    `/v1/${'x'.repeat(3000)}`,
  ])('POST %s returns 404', async (path) => {
    const body = enquiry();
    const answer = await alpha.call({ method: 'POST', path, body });
    expect(refusalOf(answer, 404).code).toBe('not_found');
    refusalOf(await alpha.readByReference(String(body.external_reference)), 404);
  });
});

describe('an unsupported method', () => {
  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])(
    '%s on the collection returns 404 with the allowed methods',
    async (method) => {
      const answer = await alpha.call({ method, path: CREATE_PATH });
      expect(refusalOf(answer, 404).code).toBe('not_found');
      expect(allowed(answer.headers.allow)).toEqual(expect.arrayContaining(['GET', 'POST']));
      expect(allowed(answer.headers.allow)).not.toContain(method);
    },
  );

  it.each(['POST', 'PUT', 'DELETE'])(
    '%s on one submission returns 404 with the allowed methods',
    async (method) => {
      const answer = await alpha.call({ method, path: `${CREATE_PATH}/${randomUUID()}` });
      expect(refusalOf(answer, 404).code).toBe('not_found');
      expect(allowed(answer.headers.allow)).toContain('GET');
      expect(allowed(answer.headers.allow)).not.toContain(method);
    },
  );

  it('an unknown method returns 404', async () => {
    const head = [
      `PROPFIND ${CREATE_PATH} HTTP/1.1`,
      'Host: gateway',
      `Authorization: Bearer ${alpha.credential}`,
      'Connection: close',
    ];
    expect(refusalOf(await callRaw(originOf('sandbox'), head), 404).code).toBe('not_found');
  });

  it('an unknown path names no methods', async () => {
    const answer = await alpha.call({ method: 'DELETE', path: '/v1/nothing' });
    refusalOf(answer, 404);
    expect(answer.headers).not.toHaveProperty('allow');
  });
});
