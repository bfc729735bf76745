import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IdToken } from '../identity/token-issuer.ts';
import { loginAt } from './login.ts';

const VERIFIER = 'a-verifier-that-the-client-keeps';
const REDIRECT = 'http://127.0.0.1:8083/login/callback';
const ADA = { name: 'ada', role: 'staff:viewer', decision: 'approve' };
const REQUEST = {
  response_type: 'code',
  client_id: 'console',
  redirect_uri: REDIRECT,
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
  nonce: 'n',
  state: 's',
};
const PROOF = {
  grant_type: 'authorization_code',
  client_id: 'console',
  redirect_uri: REDIRECT,
  code_verifier: VERIFIER,
};

let server: Server;
let origin: string;
let at = 1_000_000;
const pass = (seconds: number) => {
  at += seconds * 1_000;
};

beforeEach(async () => {
  server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = {
    staffTokenOf: async ({ name, roles }: { name: string; roles: readonly string[] }, minutes: number) =>
      `${name} ${roles} ${minutes}`,
    idTokenOf: async ({ subject, clientId, nonce }: IdToken) => `${subject} ${clientId} ${nonce}`,
  };
  server.on(
    'request',
    loginAt(origin, issuer, () => at),
  );
});
afterEach(() => void server.close().closeAllConnections());

const post = (path: string, fields: Record<string, string>, headers = {}) =>
  fetch(`${origin}${path}`, {
    method: 'POST',
    body: new URLSearchParams(fields),
    redirect: 'manual',
    headers,
  });
const token = async (fields: Record<string, string>) =>
  (await (await post('/token', fields)).json()) as Record<string, string>;
async function code(): Promise<string> {
  const { headers } = await post('/authorize', { ...REQUEST, ...ADA });
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
}
const begin = async () =>
  (await (await post('/device_authorization', {})).json()) as { device_code: string; user_code: string };
const ask = (device_code: string) =>
  token({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code });
const decide = async (user_code: string, who: Record<string, string> = ADA) =>
  (await post('/device', { user_code, ...who })).status;

describe('the code flow', () => {
  it('issues tokens for a code once, and for each refresh token once', async () => {
    const given = await token({ ...PROOF, code: await code() });
    expect(given).toMatchObject({ access_token: 'ada staff:viewer 60', id_token: 'ada console n' });
    const refresh = { grant_type: 'refresh_token', client_id: 'console' };
    const renewed = await token({ ...refresh, refresh_token: given.refresh_token ?? '' });
    expect(renewed).toMatchObject({ access_token: 'ada staff:viewer 60' });
    const refused = { error: 'invalid_grant' };
    expect(await token({ ...refresh, refresh_token: given.refresh_token ?? '' })).toEqual(refused);
    expect(await token({ ...refresh, refresh_token: renewed.refresh_token ?? '', client_id: 'sss' })).toEqual(
      refused,
    );
    const used = await code();
    await token({ ...PROOF, code: used });
    expect(await token({ ...PROOF, code: used })).toEqual(refused);
  });

  it.each([
    ['another verifier', { code_verifier: 'guessed' }],
    ['another client', { client_id: 'sss' }],
    ['another redirect', { redirect_uri: 'http://127.0.0.1:1/' }],
  ])('issues no tokens for %s', async (_what, wrong) => {
    expect(await token({ ...PROOF, code: await code(), ...wrong })).toEqual({ error: 'invalid_grant' });
  });

  it('issues no tokens for an expired code', async () => {
    const late = await code();
    pass(61);
    expect(await token({ ...PROOF, code: late })).toEqual({ error: 'invalid_grant' });
  });

  it.each([
    ['an address outside this machine', { redirect_uri: 'https://elsewhere.example/' }],
    [
      'a host name that only begins with that of this machine',
      { redirect_uri: 'http://127.0.0.1.elsewhere.example/' },
    ],
    ['an unknown client', { client_id: 'other' }],
    ['a login without a challenge', { code_challenge: '' }],
    ['a plain challenge', { code_challenge_method: 'plain' }],
  ])('redirects no browser to %s', async (_what, wrong) => {
    expect((await post('/authorize', { ...REQUEST, ...ADA, ...wrong })).status).toBe(400);
  });

  it('redirects a person who denies the login back without a code', async () => {
    const { status, headers } = await post('/authorize', { ...REQUEST, decision: 'deny' });
    expect([status, headers.get('location')]).toEqual([303, `${REDIRECT}?state=s&error=access_denied`]);
  });

  it('accepts only existing names and roles', async () => {
    expect((await post('/authorize', { ...REQUEST, ...ADA, role: 'staff:king' })).status).toBe(400);
    expect((await post('/authorize', { ...REQUEST, ...ADA, name: '<script>' })).status).toBe(400);
  });
});

describe('the device flow', () => {
  it('issues a device its token once the user has logged in, and only once', async () => {
    const { device_code, user_code } = await begin();
    expect(await ask(device_code)).toEqual({ error: 'authorization_pending' });
    expect(await decide(user_code.toLowerCase().replace('-', ''))).toBe(200);
    expect(await ask(device_code)).toMatchObject({ access_token: 'ada staff:viewer 60' });
    expect(await ask(device_code)).toEqual({ error: 'expired_token' });
  });

  it('refuses a device that was denied, is unknown, or waited too long', async () => {
    const denied = await begin();
    expect(await decide(denied.user_code, { decision: 'deny' })).toBe(200);
    expect(await decide(denied.user_code)).toBe(404);
    expect(await ask(denied.device_code)).toEqual({ error: 'access_denied' });
    expect(await ask('unknown')).toEqual({ error: 'expired_token' });
    const late = await begin();
    pass(601);
    expect(await decide(late.user_code)).toBe(404);
    expect(await ask(late.device_code)).toEqual({ error: 'expired_token' });
  });

  it('keeps the hundred latest devices', async () => {
    const first = await begin();
    for (let count = 0; count < 100; count += 1) await begin();
    expect(await ask(first.device_code)).toEqual({ error: 'expired_token' });
  });
});

it('the login server serves only its own host name and its own pages', async () => {
  const { status } = await post('/device', {}, { origin: 'https://elsewhere.example' });
  expect(status).toBe(403);
});
