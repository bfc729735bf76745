import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { createTokenVerifier, type VerifyToken, type WithheldRoles } from './verify-token.ts';

const MAX_MINUTES = 60;
const now = () => Math.floor(Date.now() / 1000);

let dir: string;
let key: CryptoKey;
let jwk: object;
let server: http.Server;
let answer: (response: http.ServerResponse) => void;
let asked = 0;
const withheld: WithheldRoles[] = [];

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'verify-'));
  const pair = await generateKeyPair('EdDSA');
  key = pair.privateKey;
  jwk = { ...(await exportJWK(pair.publicKey)), alg: 'EdDSA' };
  server = http.createServer((_request, response) => {
    asked += 1;
    answer(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(dir, { recursive: true });
});

function verifier(changes: object = { jwks: { keys: [jwk] } }, clockToleranceS = 30) {
  const path = join(dir, 'issuers.json');
  const entry = { issuer: 'test', roleClaim: 'roles', roles: ['staff:*'], maxTokenMinutes: MAX_MINUTES };
  writeFileSync(path, JSON.stringify([{ ...entry, ...changes }]));
  return createTokenVerifier(path, 'billing', (roles) => withheld.push(roles), clockToleranceS);
}

/** Creates a valid token for ten minutes, overridden by `claims`; undefined omits a claim. */
function token(
  claims: Record<string, unknown> = {},
  kid?: string,
  signer: { alg: string; key: CryptoKey } = { alg: 'EdDSA', key },
): Promise<string> {
  const good = {
    iss: 'test',
    aud: 'billing',
    sub: 'jo',
    iat: now(),
    exp: now() + 600,
    roles: ['staff:viewer'],
  };
  return new SignJWT({ ...good, ...claims })
    .setProtectedHeader({ alg: signer.alg, ...(kid ? { kid } : {}) })
    .sign(signer.key);
}

describe('a token', () => {
  it('gives its subject the roles that the issuer may give', async () => {
    withheld.length = 0;
    const roles = ['staff:viewer', 'service:gateway', 'vpn-users'];
    const exp = now() + 300;
    expect(await verifier()(await token({ roles, exp }))).toEqual({
      subject: 'jo',
      issuer: 'test',
      roles: ['staff:viewer'],
      tokenEndsAt: exp * 1_000,
    });
    expect(withheld).toEqual([{ issuer: 'test', subject: 'jo', roles: ['service:gateway'] }]);
  });

  it('may be valid for exactly as long as its issuer may give', async () => {
    const iat = now();
    expect(await verifier()(await token({ iat, exp: iat + MAX_MINUTES * 60 }))).toMatchObject({
      subject: 'jo',
    });
    expect(await verifier()(await token({ iat, exp: iat + MAX_MINUTES * 60 + 1 }))).toMatchObject({
      reason: 'bad_token',
      why: 'lifetime longer than permitted to its issuer',
    });
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['that never ends', () => ({ exp: undefined })],
    ['that expires in ten thousand years', () => ({ exp: 315_360_000_000 })],
    ['with an infinite expiry', () => ({ exp: Number.MAX_VALUE })],
    ['that was issued long ago and expires soon', () => ({ iat: now() - MAX_MINUTES * 60, exp: now() + 60 })],
    ['without an issue time', () => ({ iat: undefined })],
    ['with a negative issue time', () => ({ iat: -Number.MAX_VALUE })],
    ['whose issue time is a string', () => ({ iat: String(now()) })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a blank subject', () => ({ sub: '  ' })],
    ['with a line break in its subject', () => ({ sub: 'jo\nroot' })],
    ['with a subject that is a number', () => ({ sub: 7 })],
    ['with a subject that is too long', () => ({ sub: 'x'.repeat(256) })],
    ['whose roles are an object', () => ({ roles: { 0: 'staff:admin' } })],
    ['whose roles are not all strings', () => ({ roles: ['staff:admin', {}] })],
    ['with too many roles', () => ({ roles: new Array(201).fill('staff:admin') })],
    ['without an issuer', () => ({ iss: undefined })],
  ])('%s is rejected', async (_what, claims) => {
    expect(await verifier()(await token(claims()))).toMatchObject({ reason: 'bad_token' });
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['too long', () => ({ note: 'x'.repeat(16_384) })],
    ['unknown issuer', () => ({ iss: 'other' })],
    ['issued in the future', () => ({ iat: now() + 60 })],
    ['lifetime longer than permitted to its issuer', () => ({ exp: now() + 86_400 })],
    ['subject', () => ({ sub: ' ' })],
    ['roles', () => ({ roles: 7 })],
    ['ERR_JWT_EXPIRED', () => ({ iat: now() - 120, exp: now() - 60 })],
    ['audience', () => ({ aud: 'account' })],
  ])('is rejected with the reason for the log: %s', async (why, claims) => {
    expect(await verifier()(await token(claims()))).toMatchObject({ why });
  });

  it('is rejected when it is malformed', async () => {
    expect(await verifier()('x.y.z')).toEqual({ reason: 'bad_token', why: 'ERR_JWT_INVALID' });
  });

  it('may have a subject of 255 characters', async () => {
    const sub = 'x'.repeat(255);
    expect(await verifier()(await token({ sub }))).toMatchObject({ subject: sub });
  });

  it.each([
    ['EdDSA', true],
    ['ES256', true],
    ['RS256', true],
    ['ES384', false],
    ['PS256', false],
    ['RS512', false],
  ])('signed with %s is accepted: %s', async (alg, isAccepted) => {
    const pair = await generateKeyPair(alg);
    const keys = [{ ...(await exportJWK(pair.publicKey)), alg }];
    const signed = await token({}, undefined, { alg, key: pair.privateKey });
    const given = await verifier({ jwks: { keys } })(signed);
    expect(given).toMatchObject(isAccepted ? { subject: 'jo' } : { reason: 'bad_token' });
  });

  it('for another service is reported as other_audience', async () => {
    expect(await verifier()(await token({ aud: 'account' }))).toMatchObject({ reason: 'other_audience' });
  });
});

describe('the roles of a token', () => {
  const jwks = () => ({ keys: [jwk] });

  it('are not reported when none is withheld', async () => {
    withheld.length = 0;
    expect(await verifier()(await token())).toMatchObject({ roles: ['staff:viewer'] });
    expect(withheld).toEqual([]);
  });

  it('exclude roles that the issuer may not give, wherever they are claimed', async () => {
    const claimed = { realm_access: { roles: 'staff:admin service:gateway staff:viewer' } };
    const may = { jwks: jwks(), roleClaim: 'realm_access.roles', roles: ['staff:viewer'] };
    withheld.length = 0;
    expect(await verifier(may)(await token(claimed))).toMatchObject({ roles: ['staff:viewer'] });
    expect(withheld).toEqual([{ issuer: 'test', subject: 'jo', roles: ['staff:admin', 'service:gateway'] }]);
  });

  it('are whole names in a list: a group name that contains a role name gives no role', async () => {
    const roles = ['friends staff:admin', 'staff:viewer staff:admin', 'staff:admin\n', ' staff:admin'];
    expect(await verifier()(await token({ roles }))).toMatchObject({ roles: [] });
  });
});

describe("an issuer's clock", () => {
  it.each([
    ['30 s', undefined, 30],
    ['the configured number of seconds', 120, 120],
    ['0 s where the setting is 0', 0, 0],
  ])('may be %s off', async (_what, setting, toleranceS) => {
    jest.useFakeTimers({ now: 1_795_600_000_000, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const verify = verifier(undefined, setting);
      const outcome = async (claims: Record<string, unknown>) => {
        const caller = await verify(await token(claims));
        return 'subject' in caller ? 'taken' : caller.why;
      };
      const endedFor = (seconds: number) => outcome({ iat: now() - 600, exp: now() - seconds });
      // A token is invalid from its expiry.
      expect(await endedFor(toleranceS - 1)).toBe('taken');
      expect(await endedFor(toleranceS)).toBe('ERR_JWT_EXPIRED');
      expect(await outcome({ iat: now() + toleranceS })).toBe('taken');
      expect(await outcome({ iat: now() + toleranceS + 1 })).toBe('issued in the future');
      expect(await outcome({ nbf: now() + toleranceS })).toBe('taken');
      expect(await outcome({ nbf: now() + toleranceS + 1 })).toBe('ERR_JWT_CLAIM_VALIDATION_FAILED');
    } finally {
      jest.useRealTimers();
    }
  });
});

describe('cached tokens', () => {
  it('include only valid ones', async () => {
    const verify = verifier();
    await verify(await token());
    expect(verify.remembered.size).toBe(1);
    await verify(await token({ aud: 'account' }));
    await verify(await token({ exp: now() - 60 }));
    await verify('x.y.z');
    await verify('x'.repeat(1_000_000));
    expect(verify.remembered.size).toBe(1);
  });

  it.each([
    ['a minute', 600, 60],
    ['its remaining lifetime, if that is shorter', 20, 20],
  ])('are verified again after %s', async (_time, lastsS, rememberedS) => {
    jest.useFakeTimers({ now: 1_795_600_000_000, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const verify = verifier();
      // Withheld roles are reported once per verification.
      const given = await token({ exp: now() + lastsS, roles: ['service:gateway'] });
      withheld.length = 0;
      await verify(given);
      jest.advanceTimersByTime(rememberedS * 1_000 - 1);
      expect(await verify(given)).toMatchObject({ subject: 'jo', roles: [] });
      expect(withheld).toHaveLength(1);
      jest.advanceTimersByTime(1);
      await verify(given);
      expect(withheld).toHaveLength(2);
    } finally {
      jest.useRealTimers();
    }
  });

  it('use at most 4 MiB, even if they are large', async () => {
    const verify = verifier();
    const roles = Array.from({ length: 120 }, () => `staff:${'a'.repeat(60)}`);
    const group = 'x'.repeat(1_000);
    for (let number = 0; number < 300; number += 1) {
      const given = await verify(await token({ sub: `${number}`, roles: [...roles, group] }));
      expect(given).toMatchObject({ roles });
    }
    expect(verify.remembered.bytes).toBeLessThanOrEqual(4 * 1024 * 1024);
    expect(verify.remembered.bytes).toBeGreaterThan(3 * 1024 * 1024);
  });
});

describe('fetched keys', () => {
  const remote = () =>
    verifier({ jwksUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` });

  it('verify tokens', async () => {
    answer = (response) => response.end(JSON.stringify({ keys: [jwk] }));
    expect(await remote()(await token())).toMatchObject({ subject: 'jo' });
  });

  it('time out when the response never completes, and the token is rejected', async () => {
    answer = (response) => response.write('{"keys": [');
    const startedAt = performance.now();
    expect(await remote()(await token())).toMatchObject({ reason: 'bad_token' });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it('are rejected as too large well before the response ends', async () => {
    let sent = 0;
    const done = new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', resolve);
        const more = () => {
          while (response.writable && sent < 64 * 1024 * 1024) {
            sent += 65_536;
            if (!response.write(' '.repeat(65_536))) return void response.once('drain', more);
          }
          response.end();
        };
        more();
      };
    });
    expect(await remote()(await token())).toMatchObject({ reason: 'bad_token' });
    await done;
    expect(sent).toBeLessThan(16 * 1024 * 1024);
  });

  it('are rejected as too large once decoded', async () => {
    const set = JSON.stringify({ keys: [jwk], padding: ' '.repeat(8 * 1024 * 1024) });
    answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(set));
    expect(await remote()(await token())).toMatchObject({ reason: 'bad_token' });
  });

  describe('when the set lacks a key', () => {
    beforeEach(() => {
      asked = 0;
      jest.useFakeTimers({
        doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'setTimeout', 'clearTimeout'],
      });
    });
    afterEach(() => jest.useRealTimers());
    const flood = async (verify: VerifyToken, count: number) => {
      for (let number = 0; number < count; number += 1) {
        const both = [`a${number}`, `b${number}`].map(async (kid) => verify(await token({}, kid)));
        for (const given of await Promise.all(both)) expect(given).toMatchObject({ reason: 'bad_token' });
      }
    };

    it('are refetched at most every 5 s, even if many tokens name unknown keys', async () => {
      answer = (response) => response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'old' }] }));
      const verify = remote();
      await flood(verify, 20);
      expect(asked).toBe(1);
      answer = (response) => response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'new' }] }));
      jest.advanceTimersByTime(4_000);
      expect(await verify(await token({}, 'old'))).toMatchObject({ subject: 'jo' });
      expect(await verify(await token({}, 'new'))).toMatchObject({ reason: 'bad_token' });
      jest.advanceTimersByTime(1_001);
      expect(await verify(await token({}, 'new'))).toMatchObject({ subject: 'jo' });
      await flood(verify, 20);
      expect(asked).toBe(2);
    });

    it.each([
      ['are missing', (response: http.ServerResponse) => response.writeHead(500).end()],
      ['are not JSON', (response: http.ServerResponse) => response.end('{')],
      ['are truncated', (response: http.ServerResponse) => response.destroy()],
    ])('are refetched no more often when they %s', async (_what, fail) => {
      answer = fail;
      const verify = remote();
      await flood(verify, 20);
      expect(asked).toBe(1);
      answer = (response) => response.end(JSON.stringify({ keys: [{ ...jwk, kid: 'new' }] }));
      jest.advanceTimersByTime(5_001);
      expect(await verify(await token({}, 'new'))).toMatchObject({ subject: 'jo' });
      expect(asked).toBe(2);
    });
  });

  it('are not fetched from a redirect target', async () => {
    asked = 0;
    answer = (response) => response.writeHead(302, { location: '/other' }).end();
    expect(await remote()(await token())).toMatchObject({ reason: 'bad_token' });
    expect(asked).toBe(1);
  });
});
