import { KeyRing } from './index.ts';

const bytes = (fill: number) => Buffer.alloc(32, fill).toString('base64');
const ring = (primary: string, ...ids: number[]) =>
  KeyRing.fromJson(
    JSON.stringify({
      primary,
      keys: Object.fromEntries(ids.map((id) => [`k${id}`, bytes(id)])),
      digestKey: bytes(9),
    }),
  );
const aad = { table: 'submission', column: 'enquiry', row: 'r1' };
const plain = Buffer.from('Jane Doe');

describe('KeyRing', () => {
  it('never seals two values with the same nonce', () => {
    const keys = ring('k1', 1);
    const sealed = Array.from({ length: 2_000 }, () => keys.seal(Buffer.from('same'), aad));
    // Each value starts with the format, the length of the key id, the id, then a nonce of 12 bytes.
    const nonces = sealed.map((bytes) => {
      const start = 2 + (bytes[1] ?? 0);
      return Buffer.from(bytes.subarray(start, start + 12)).toString('hex');
    });
    expect(new Set(nonces).size).toBe(2_000);
  });

  it('opens a value it sealed and seals equal values differently', () => {
    const keys = ring('k1', 1);
    const sealed = keys.seal(plain, aad);
    expect(Buffer.from(keys.open(sealed, aad)).toString()).toBe('Jane Doe');
    expect(Buffer.from(sealed).includes('Jane')).toBe(false);
    expect(keys.seal(plain, aad)).not.toEqual(sealed);
  });

  it('does not open a value in another row, column or table', () => {
    const sealed = ring('k1', 1).seal(plain, aad);
    for (const other of [{ row: 'r2' }, { column: 'x' }, { table: 'x' }]) {
      expect(() => ring('k1', 1).open(sealed, { ...aad, ...other })).toThrow();
    }
  });

  it('rejects a sealed value after a change of any byte', () => {
    const sealed = ring('k1', 1).seal(plain, aad);
    for (let i = 0; i < sealed.length; i += 1) {
      const changed = Uint8Array.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(() => ring('k1', 1).open(changed, aad)).toThrow();
    }
    expect(() => ring('k1', 1).open(sealed.subarray(0, 10), aad)).toThrow();
  });

  it('opens old values under a new primary key and rejects values of a dropped key', () => {
    const sealed = ring('k1', 1).seal(plain, aad);
    expect(Buffer.from(ring('k2', 1, 2).open(sealed, aad))).toEqual(plain);
    expect(() => ring('k2', 2).open(sealed, aad)).toThrow('not in the ring');
  });

  it('produces different digests for different purposes', () => {
    const keys = ring('k1', 1);
    expect(keys.digest('email', 'a')).toEqual(keys.digest('email', 'a'));
    expect(keys.digest('email', 'a')).not.toEqual(keys.digest('telephone', 'a'));
    expect(keys.digest('email', 'a')).not.toEqual(keys.digest('email', 'b'));
  });

  const digestRing = (primaryDigestKey: string, ...ids: number[]) =>
    KeyRing.fromJson(
      JSON.stringify({
        primary: 'k1',
        keys: { k1: bytes(1) },
        primaryDigestKey,
        digestKeys: Object.fromEntries(ids.map((id) => [`d${id}`, bytes(id)])),
      }),
    );

  it('matches digests under every key in the ring and creates them under the primary key', () => {
    const [old, both, late] = [digestRing('d1', 1), digestRing('d2', 1, 2), digestRing('d2', 2)];
    const stored = old.digest('body', 'a');
    expect(both.digest('body', 'a')).toEqual(late.digest('body', 'a'));
    expect(both.digests('body', 'a')).toEqual([late.digest('body', 'a'), stored]);
    expect([old, both, late].map((keys) => keys.isDigest(stored, 'body', 'a'))).toEqual([true, true, false]);
    expect(both.isDigest(late.digest('body', 'a'), 'body', 'a')).toBe(true);
    expect(both.isDigest(stored, 'body', 'b')).toBe(false);
    expect(both.isDigest(stored.subarray(1), 'body', 'a')).toBe(false);
  });

  it('uses the id d1 for a digest key without a name', () => {
    const named = KeyRing.fromJson(
      JSON.stringify({
        primary: 'k1',
        keys: { k1: bytes(1) },
        primaryDigestKey: 'd1',
        digestKeys: { d1: bytes(9) },
      }),
    );
    expect(ring('k1', 1).digestKeyId).toBe('d1');
    expect(ring('k1', 1).digest('body', 'a')).toEqual(named.digest('body', 'a'));
  });

  it('describes keys by check values that are equal only for equal keys', () => {
    const described = digestRing('d2', 1, 2).all.map(({ checkValue, ...key }) => ({
      ...key,
      check: Buffer.from(checkValue).toString('hex'),
    }));
    expect(described).toMatchObject([
      { purpose: 'seal', id: 'k1', primary: true },
      { purpose: 'digest', id: 'd1', primary: false },
      { purpose: 'digest', id: 'd2', primary: true },
    ]);
    // The first two keys have the same bytes but different purposes.
    expect(new Set(described.map(({ check }) => check)).size).toBe(3);
    expect(digestRing('d1', 1).all[0]?.checkValue).toEqual(ring('k1', 1).all[0]?.checkValue);
  });

  it.each([
    '{}',
    'x',
    JSON.stringify({ primary: 'k2', keys: { k1: bytes(1) }, digestKey: bytes(1) }),
    JSON.stringify({ primary: 'k1', keys: { k1: 'short' }, digestKey: bytes(1) }),
    JSON.stringify({ primary: 'k1', keys: { k1: bytes(1) } }),
    JSON.stringify({
      primary: 'k1',
      keys: { k1: bytes(1) },
      primaryDigestKey: 'd2',
      digestKeys: { d1: bytes(1) },
    }),
    JSON.stringify({
      primary: 'k1',
      keys: { k1: bytes(1) },
      digestKey: bytes(1),
      digestKeys: { d1: bytes(1) },
    }),
    JSON.stringify({
      primary: 'k1',
      keys: { k1: bytes(1) },
      primaryDigestKey: 'd1',
      digestKeys: Object.fromEntries([1, 2, 3, 4, 5].map((id) => [`d${id}`, bytes(id)])),
    }),
  ])('rejects the ring %s', (text) => {
    expect(() => KeyRing.fromJson(text)).toThrow();
  });
});
