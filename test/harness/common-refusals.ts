import { randomUUID } from 'node:crypto';
import { ALL_SCOPES, newAccount } from './accounts.ts';
import { refusalOf } from './answers.ts';
import { call } from './http.ts';
import { type OperationName, operation } from './operations.ts';
import { originOf, supplier } from './suppliers.ts';

const UNREADABLE: readonly (readonly [string, string, Record<string, string | undefined>])[] = [
  ['malformed JSON', '{"a":', {}],
  ['an empty body', '', {}],
  ['a duplicate key', '{"a":1,"a":1}', {}],
  ['nesting deeper than 32', `${'['.repeat(33)}${']'.repeat(33)}`, {}],
  ['another media type', '{}', { 'content-type': 'text/json' }],
  ['no media type', '{}', { 'content-type': undefined }],
  ['a content encoding', '{}', { 'content-encoding': 'gzip' }],
];

/** The tests of 400 that every operation with a body has in common. */
export function refusesWhatIsUnreadable(name: OperationName): void {
  const { method, path } = operation(name);
  it.each(UNREADABLE)('comes for %s', async (_, body, headers) => {
    const answer = await supplier('alpha').call({ method, path: path(), body, headers });
    expect(refusalOf(answer, 400).code).toBe('bad_request');
  });
}

/** The tests of 401 that every operation has in common. */
export function refusesWhoIsUnknown(name: OperationName): void {
  const { method, path, body } = operation(name);
  const ask = (credential?: string) =>
    call(originOf('sandbox'), {
      method,
      path: path(),
      ...(body && { body: body() }),
      ...(credential && { credential }),
    });
  it('comes without a credential, and for one that was never issued', async () => {
    expect(refusalOf(await ask(), 401).code).toBe('unauthorized');
    refusalOf(await ask(`sss_test_${'0'.repeat(16)}_${'0'.repeat(43)}`), 401);
  });

  it('comes for the credential of the other environment', async () => {
    refusalOf(await ask(supplier('alpha', 'production').credential), 401);
    const { credential } = supplier('alpha');
    const live = await supplier('alpha', 'production').call({
      method,
      path: path(),
      credential,
      ...(body && { body: body() }),
    });
    refusalOf(live, 401);
  });
}

/** The tests of 403 that every operation with a body has in common. */
export function refusesWhoMayNot(name: OperationName): void {
  const { method, path, body, scopes } = operation(name);
  it('comes for every scope but those that permit it, whatever the body', async () => {
    const account = await newAccount();
    const api = await account.issue({ scopes: ALL_SCOPES.filter((scope) => !scopes.includes(scope)) });
    for (const sent of [body?.() ?? {}, {}, '{', 'x'.repeat(70_000)])
      expect(refusalOf(await api.call({ method, path: path(), body: sent }), 403).code).toBe('forbidden');
  });
}

/** The tests of 413 that every operation with a body has in common. */
export function refusesWhatIsTooLarge(name: OperationName): void {
  const { method, path } = operation(name);
  it.each([false, true])('comes for a body over 64 KiB, sent in chunks: %s', async (chunked) => {
    const body = JSON.stringify({ [randomUUID()]: 'x'.repeat(65_536) });
    const answer = await supplier('alpha').call({ method, path: path(), body, chunked });
    expect(refusalOf(answer, 413)).toMatchObject({
      code: 'payload_too_large',
      details: { max_bytes: 65_536 },
    });
  });
}
