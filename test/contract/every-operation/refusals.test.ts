import { randomUUID } from 'node:crypto';
import { ALL_SCOPES, newAccount } from '../../harness/accounts.ts';
import { call } from '../../harness/http.ts';
import { OPERATIONS, operation } from '../../harness/operations.ts';
import { refusalOf, violationsOf } from '../../harness/responses.ts';
import { originOf, supplier } from '../../harness/suppliers.ts';

type Name = keyof typeof OPERATIONS;
const names = Object.keys(OPERATIONS) as Name[];

// One case of each kind. The gateway's own tests cover the others.
describe.each(names)('%s', (name) => {
  const { method, path, body, scopes } = operation(name);

  it('returns 401 without a credential, with one that was never issued, and with one of the other environment', async () => {
    const ask = (to: 'sandbox' | 'production', credential?: string) =>
      call(originOf(to), {
        method,
        path: path(),
        ...(body && { body: body() }),
        ...(credential && { credential }),
      });
    expect(refusalOf(await ask('sandbox'), 401).code).toBe('unauthorized');
    refusalOf(await ask('sandbox', `sss_test_${'0'.repeat(16)}_${'0'.repeat(43)}`), 401);
    refusalOf(await ask('sandbox', supplier('alpha', 'production').credential), 401);
    refusalOf(await ask('production', supplier('alpha').credential), 401);
  });

  it('returns 403 for every scope that does not permit it, with any body', async () => {
    const account = await newAccount();
    const api = await account.issue({ scopes: ALL_SCOPES.filter((scope) => !scopes.includes(scope)) });
    const bodies = body ? [body(), {}, '{', 'x'.repeat(70_000)] : [undefined];
    for (const sent of bodies) {
      const answer = await api.call({ method, path: path(), ...(sent !== undefined && { body: sent }) });
      expect(refusalOf(answer, 403).code).toBe('forbidden');
    }
  });

  it('returns 404 for another method, with the allowed one', async () => {
    const answer = await supplier('alpha').call({ method: 'DELETE', path: path() });
    expect(refusalOf(answer, 404).code).toBe('not_found');
    expect(answer.headers.allow).toContain(method);
  });
});

describe.each(names.filter((name) => operation(name).body))('the body of %s', (name) => {
  const { method, path } = operation(name);

  it.each([
    ['malformed JSON', '{"a":', {}],
    ['an empty body', '', {}],
    ['text that is not UTF-8', Buffer.from('{"a":"\xe9"}', 'latin1'), {}],
    ['a duplicate key', '{"a":1,"\\u0061":1}', {}],
    ['nesting deeper than 32', `${'['.repeat(33)}${']'.repeat(33)}`, {}],
    ['another media type', '{}', { 'content-type': 'text/json' }],
    ['no media type', '{}', { 'content-type': undefined }],
    ['a content encoding', '{}', { 'content-encoding': 'gzip' }],
  ] as const)('returns 400 for %s', async (_, sent, headers) => {
    const answer = await supplier('alpha').call({ method, path: path(), body: sent, headers });
    expect(refusalOf(answer, 400).code).toBe('bad_request');
  });

  it.each([false, true])('returns 413 for a body over 64 KiB, sent in chunks: %s', async (chunked) => {
    const sent = JSON.stringify({ [randomUUID()]: 'x'.repeat(65_536) });
    const answer = await supplier('alpha').call({ method, path: path(), body: sent, chunked });
    expect(refusalOf(answer, 413)).toMatchObject({
      code: 'payload_too_large',
      details: { max_bytes: 65_536 },
    });
  });

  it('returns 422 for an empty object', async () => {
    const answer = await supplier('alpha').call({ method, path: path(), body: {} });
    expect(violationsOf(answer).length).toBeGreaterThan(0);
  });
});
