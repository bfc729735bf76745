import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

function verifier(keys: object = { jwks: { keys: [jwk] } }): VerifyToken {
  const path = join(dir, 'issuers.json');
  const entry = { issuer: 'test', roleClaim: 'roles', roles: ['staff:*'], maxTokenMinutes: MAX_MINUTES };
  writeFileSync(path, JSON.stringify([{ ...entry, ...keys }]));
  return createTokenVerifier(path, 'billing', (roles) => withheld.push(roles));
}

/** A good token for ten minutes, but for what `claims` say; undefined leaves a claim out. */
function token(claims: Record<string, unknown> = {}): Promise<string> {
  const good = {
    iss: 'test',
    aud: 'billing',
    sub: 'jo',
    iat: now(),
    exp: now() + 600,
    roles: ['staff:viewer'],
  };
  return new SignJWT({ ...good, ...claims }).setProtectedHeader({ alg: 'EdDSA' }).sign(key);
}

describe('a token', () => {
  it('makes its subject a caller with the roles that its issuer may give', async () => {
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

  it('is good for exactly as long as its issuer may give', async () => {
    const iat = now();
    expect(await verifier()(await token({ iat, exp: iat + MAX_MINUTES * 60 }))).toMatchObject({
      subject: 'jo',
    });
    expect(await verifier()(await token({ iat, exp: iat + MAX_MINUTES * 60 + 1 }))).toMatchObject({
      reason: 'bad_token',
      why: 'longer than its issuer may give',
    });
  });

  it.each<[string, () => Record<string, unknown>]>([
    ['that never ends', () => ({ exp: undefined })],
    ['that ends in ten thousand years', () => ({ exp: 315_360_000_000 })],
    ['that ends beyond all numbers', () => ({ exp: Number.MAX_VALUE })],
    ['that was issued long ago and ends soon', () => ({ iat: now() - MAX_MINUTES * 60, exp: now() + 60 })],
    ['that does not say when it was issued', () => ({ iat: undefined })],
    ['that was issued before the beginning of time', () => ({ iat: -Number.MAX_VALUE })],
    ['that was issued in the future', () => ({ iat: now() + 60 })],
    ['whose time of issue is text', () => ({ iat: String(now()) })],
    ['that is over', () => ({ iat: now() - 120, exp: now() - 60 })],
    ['without a subject', () => ({ sub: undefined })],
    ['with an empty subject', () => ({ sub: '' })],
    ['with a blank subject', () => ({ sub: '  ' })],
    ['with a subject of two lines', () => ({ sub: 'jo\nroot' })],
    ['with a subject that is a number', () => ({ sub: 7 })],
    ['with a subject that is too long', () => ({ sub: 'x'.repeat(256) })],
    ['whose roles are no list', () => ({ roles: 'staff:admin' })],
    ['of an unknown issuer', () => ({ iss: 'other' })],
    ['of no issuer', () => ({ iss: undefined })],
  ])('%s is refused', async (_what, claims) => {
    expect(await verifier()(await token(claims()))).toMatchObject({ reason: 'bad_token' });
  });

  it('that is meant for another service is told apart', async () => {
    expect(await verifier()(await token({ aud: 'account' }))).toMatchObject({ reason: 'other_audience' });
  });
});

describe('keys that are fetched', () => {
  const remote = () =>
    verifier({ jwksUri: `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys` });

  it('verify tokens', async () => {
    answer = (response) => response.end(JSON.stringify({ keys: [jwk] }));
    expect(await remote()(await token())).toMatchObject({ subject: 'jo' });
  });

  it('are given up when they never come whole, and nobody is let in', async () => {
    answer = (response) => response.write('{"keys": [');
    const begun = performance.now();
    expect(await remote()(await token())).toMatchObject({ reason: 'bad_token' });
    expect(performance.now() - begun).toBeLessThan(30_000);
  });

  it('are given up when they are too large, long before their end', async () => {
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

  it('are not sought elsewhere', async () => {
    asked = 0;
    answer = (response) => response.writeHead(302, { location: '/other' }).end();
    expect(await remote()(await token())).toMatchObject({ reason: 'bad_token' });
    expect(asked).toBe(1);
  });
});
