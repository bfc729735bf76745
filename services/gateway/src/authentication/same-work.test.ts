import { generateCredential, hashSecret } from '@supplier/lib/rpc/credential';
import { Scope } from '@supplier/proto/common/v1/principal';
import { fakeGateway, SUBMISSION_ID } from '../testing/fake-gateway.ts';
import { knownCredential } from '../testing/sample-credential.ts';
import { CredentialCache } from './credential-cache.ts';
import type { KnownCredential } from './known-credential.ts';

const NOW = new Date('2026-11-20T10:00:00Z');
const issued = generateCredential('sss', 'test');

/** Creates a gateway with its own cache over an account service that knows one credential and records lookups. */
function countingGateway(record: Partial<KnownCredential> = {}) {
  const asked: string[] = [];
  const known = knownCredential({ secretHash: hashSecret(issued.secret), ...record });
  const credential = { ...known, principal: { ...known.principal, scopes: [Scope.READ] } };
  const credentials = new CredentialCache(async (publicId) => {
    asked.push(publicId);
    return publicId === issued.publicId ? credential : undefined;
  });
  const { app, registry } = fakeGateway({ credentials, now: NOW });
  const url = `/v1/supplier-submissions/${SUBMISSION_ID}`;
  const send = (bearer: string) => app.inject({ url, headers: { authorization: `Bearer ${bearer}` } });
  return { asked, send, registry, app, url };
}

describe('a failed authentication', () => {
  it.each<[string, string, Partial<KnownCredential>, string]>([
    ['malformed', 'nonsense', {}, 'malformed'],
    ['of an unknown id', generateCredential('sss', 'test').bearer, {}, 'unknown'],
    ['with a wrong secret', issued.bearer, { secretHash: new Uint8Array(32) }, 'wrong secret'],
  ])('calls the account service once on every attempt: %s', async (_what, bearer, record, reason) => {
    const { asked, send, registry } = countingGateway(record);
    for (const time of [1, 2, 3]) {
      expect((await send(bearer)).statusCode).toBe(401);
      expect(asked).toHaveLength(time);
    }
    const counted = `sss_gateway_failed_authentications_total{reason="${reason}"} 3`;
    expect(await registry.metrics()).toContain(counted);
  });

  it('looks up only generated ids when the cache knows the answer', async () => {
    const { asked, send } = countingGateway({ revoked: true });
    for (const _ of [1, 2, 3]) await send(issued.bearer);
    expect(asked.filter((publicId) => publicId === issued.publicId)).toHaveLength(1);
    expect(new Set(asked).size).toBe(3);
  });

  it('makes no call for a request without a credential', async () => {
    const { asked, app, url } = countingGateway();
    expect((await app.inject(url)).statusCode).toBe(401);
    expect(asked).toEqual([]);
  });

  it('causes at most one call at a time, even when many fail concurrently', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let inProgress = 0;
    let most = 0;
    let calls = 0;
    const cache = new CredentialCache(async () => {
      calls += 1;
      inProgress += 1;
      most = Math.max(most, inProgress);
      await held;
      inProgress -= 1;
      return undefined;
    });
    const first = cache.dummyLookup();
    await new Promise(setImmediate);
    const failures = Array.from({ length: 500 }, () => cache.dummyLookup());
    release();
    await Promise.all([first, ...failures]);
    expect([most, calls]).toEqual([1, 2]);
  });

  it('succeeds as a dummy lookup when the account service fails', async () => {
    const cache = new CredentialCache(() => Promise.reject(new Error('unavailable')));
    await expect(cache.dummyLookup()).resolves.toBeUndefined();
  });
});

describe('a valid credential', () => {
  it('is looked up only once', async () => {
    const { asked, send } = countingGateway();
    for (const _ of [1, 2, 3]) expect((await send(issued.bearer)).statusCode).toBe(200);
    expect(asked).toEqual([issued.publicId]);
  });
});
