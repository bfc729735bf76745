import { type AccountId, newId } from '@supplier/lib/text/ids';
import { knownCredential } from '../testing/sample-credential.ts';
import { CredentialCache } from './credential-cache.ts';
import type { KnownCredential } from './known-credential.ts';

/** Creates a cache over an account service whose responses the test provides, with a clock that the test moves. */
function cacheUnderTest() {
  const asked: {
    publicId: string;
    answer: (found?: KnownCredential) => void;
    fail: (error: Error) => void;
  }[] = [];
  let now = 1;
  const cache = new CredentialCache(
    (publicId) =>
      new Promise((resolve, reject) => {
        asked.push({ publicId, answer: resolve, fail: reject });
      }),
    () => now,
  );
  const pass = (ms: number) => {
    now += ms;
  };
  /** Looks up an id and answers the resulting call, if there is one. */
  const learn = async (publicId: string, found?: KnownCredential) => {
    const before = asked.length;
    const result = cache.find(publicId);
    if (asked.length > before) asked.at(-1)?.answer(found);
    return result;
  };
  return { cache, asked, pass, learn };
}

describe('CredentialCache', () => {
  it('caches a known credential for 30 s', async () => {
    const { cache, asked, pass, learn } = cacheUnderTest();
    const credential = knownCredential();
    expect(await learn('a', credential)).toBe(credential);
    pass(29_999);
    expect(await cache.find('a')).toBe(credential);
    expect(asked).toHaveLength(1);
    pass(2);
    expect(await learn('a', undefined)).toBeUndefined();
    expect(asked).toHaveLength(2);
  });

  it('caches a credential only while its terms hold, counted from the time of the lookup', async () => {
    const { cache, asked, pass, learn } = cacheUnderTest();
    const first = cache.find('a');
    pass(400);
    const before = knownCredential({ termsHoldForMs: 1_000 });
    asked[0]?.answer(before);
    expect(await first).toBe(before);
    pass(599);
    expect(await cache.find('a')).toBe(before);
    pass(2);
    const after = knownCredential();
    expect(await learn('a', after)).toBe(after);
    pass(29_999);
    expect(await cache.find('a')).toBe(after);
    expect(asked).toHaveLength(2);
  });

  it('does not cache a credential whose terms expired before the response arrived', async () => {
    const { cache, asked, pass } = cacheUnderTest();
    const first = cache.find('a');
    pass(1_000);
    asked[0]?.answer(knownCredential({ termsHoldForMs: 1_000 }));
    await first;
    expect(cache.knows('a')).toBe(false);
  });

  it('caches an unknown id for 5 s', async () => {
    const { cache, asked, pass, learn } = cacheUnderTest();
    await learn('a');
    pass(4_999);
    expect(await cache.find('a')).toBeUndefined();
    expect(asked).toHaveLength(1);
    pass(2);
    await learn('a', knownCredential());
    expect(asked).toHaveLength(2);
  });

  it('makes one call for concurrent lookups of the same id', async () => {
    const { cache, asked } = cacheUnderTest();
    const waiting = [1, 2, 3].map(() => cache.find('a'));
    expect(asked).toHaveLength(1);
    const credential = knownCredential();
    asked[0]?.answer(credential);
    expect(await Promise.all(waiting)).toEqual([credential, credential, credential]);
  });

  it('does not cache failures', async () => {
    const { cache, asked, learn } = cacheUnderTest();
    const failing = cache.find('a');
    asked[0]?.fail(new Error('unavailable'));
    await expect(failing).rejects.toThrow('unavailable');
    expect(await learn('a', knownCredential())).toBeDefined();
  });

  it('forgets one account and no other', async () => {
    const { cache, asked, learn } = cacheUnderTest();
    const accountId = newId<AccountId>();
    await learn('a', knownCredential({ accountId }));
    await learn('b', knownCredential({ accountId }));
    await learn('c', knownCredential());
    cache.forgetAccount(accountId);
    for (const publicId of ['a', 'b', 'c']) await learn(publicId, knownCredential());
    expect(asked.map(({ publicId }) => publicId)).toEqual(['a', 'b', 'c', 'a', 'b']);
  });

  it('forgets everything when cleared, including responses in flight', async () => {
    const { cache, asked, learn } = cacheUnderTest();
    await learn('known', knownCredential());
    await learn('unknown');
    const early = cache.find('early');
    cache.clear();
    expect(['known', 'unknown'].map((publicId) => cache.knows(publicId))).toEqual([false, false]);
    asked.at(-1)?.answer(knownCredential());
    await early;
    expect(cache.knows('early')).toBe(false);
  });

  it('shares a lookup that began after an account changed, even after an earlier one failed', async () => {
    const { cache, asked } = cacheUnderTest();
    const early = cache.find('a');
    cache.forgetAccount(newId<AccountId>());
    const late = [cache.find('a')];
    asked[0]?.fail(new Error('unavailable'));
    await expect(early).rejects.toThrow('unavailable');
    late.push(cache.find('a'));
    expect(asked).toHaveLength(2);
    const credential = knownCredential();
    asked[1]?.answer(credential);
    expect(await Promise.all(late)).toEqual([credential, credential]);
  });

  it('knows an id once the account service has responded, whether or not it was issued', async () => {
    const { cache, asked } = cacheUnderTest();
    const found = [cache.find('issued'), cache.find('never issued')];
    expect(cache.knows('issued')).toBe(false);
    asked[0]?.answer(knownCredential());
    asked[1]?.answer(undefined);
    await Promise.all(found);
    expect(['issued', 'never issued'].map((publicId) => cache.knows(publicId))).toEqual([true, true]);
  });

  it('caches at most 10,000 known credentials', async () => {
    const { cache, learn } = cacheUnderTest();
    for (let at = 0; at <= 10_000; at += 1) await learn(`${at}`, knownCredential());
    expect(['0', '1', '10000'].map((publicId) => cache.knows(publicId))).toEqual([false, true, true]);
  });

  it('makes dummy lookups of well-formed ids and never repeats one', async () => {
    const { cache, asked } = cacheUnderTest();
    for (const time of [1, 2]) {
      const done = cache.dummyLookup();
      await new Promise(setImmediate);
      expect(asked).toHaveLength(time);
      asked.at(-1)?.answer(undefined);
      await done;
    }
    const ids = asked.map(({ publicId }) => publicId);
    for (const id of ids) expect(id).toMatch(/^[0-9A-Za-z]{16}$/);
    expect(new Set(ids).size).toBe(2);
  });

  it('neither caches nor shares a response that was in flight when the account changed', async () => {
    const { cache, asked } = cacheUnderTest();
    const accountId = newId<AccountId>();
    const early = cache.find('a');
    cache.forgetAccount(accountId);
    const late = cache.find('a');
    expect(asked).toHaveLength(2);
    const revoked = knownCredential({ accountId, revoked: true });
    asked[1]?.answer(revoked);
    expect(await late).toBe(revoked);
    asked[0]?.answer(knownCredential({ accountId }));
    await early;
    expect(await cache.find('a')).toBe(revoked);
    expect(asked).toHaveLength(2);
  });

  it('does not let guesses evict known credentials', async () => {
    const { cache, asked, learn } = cacheUnderTest();
    const credential = knownCredential();
    await learn('a', credential);
    for (let guess = 0; guess < 10_001; guess += 1) await learn(`guess-${guess}`);
    const before = asked.length;
    expect(await cache.find('a')).toBe(credential);
    expect(asked).toHaveLength(before);
    // Guesses are bounded as well: the first one has been evicted.
    await learn('guess-0');
    expect(asked).toHaveLength(before + 1);
  });

  it('looks up at most 256 ids at a time and rejects the next', async () => {
    const { cache, asked, learn } = cacheUnderTest();
    const waiting = Array.from({ length: 256 }, (_, at) => cache.find(String(at)));
    await expect(cache.find('one more')).rejects.toMatchObject({ code: 'service_unavailable' });
    for (const { answer } of asked) answer(undefined);
    await Promise.all(waiting);
    expect(await learn('one more', knownCredential())).toBeDefined();
  });
});
