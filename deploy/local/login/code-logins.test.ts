import { createHash } from 'node:crypto';
import { codeLogins } from './code-logins.ts';
import { codeRequestOf } from './code-request.ts';

const VERIFIER = 'a-verifier-that-the-client-keeps';
const ADA = { name: 'ada', roles: ['staff:viewer'] };
const asked = {
  clientId: 'console',
  redirectUri: 'http://127.0.0.1:8083/login/callback',
  challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  nonce: 'n',
};
const proof = { clientId: asked.clientId, redirectUri: asked.redirectUri, verifier: VERIFIER };

function open() {
  let at = 1_000_000;
  const logins = codeLogins({
    issue: async ({ name, roles }) => `${name} ${roles}`,
    identify: async ({ name }, clientId, nonce) => `${name} ${clientId} ${nonce}`,
    now: () => at,
  });
  return {
    logins,
    pass(seconds: number) {
      at += seconds * 1_000;
    },
  };
}

it('gives tokens for a code once, and a refresh token is good once', async () => {
  const { logins } = open();
  const code = logins.approve(asked, ADA);
  const given = await logins.exchange(code, proof);
  expect(given).toMatchObject({ accessToken: 'ada staff:viewer', idToken: 'ada console n' });
  expect(await logins.exchange(code, proof)).toBeUndefined();
  const renewed = await logins.refresh(given!.refreshToken, 'console');
  expect(renewed).toMatchObject({ accessToken: 'ada staff:viewer' });
  expect(await logins.refresh(given!.refreshToken, 'console')).toBeUndefined();
  expect(await logins.refresh(renewed!.refreshToken, 'sss')).toBeUndefined();
});

it.each([
  ['a verifier that is not its own', { verifier: 'guessed' }],
  ['another client', { clientId: 'sss' }],
  ['another way back', { redirectUri: 'http://127.0.0.1:1/' }],
])('gives nothing for %s', async (_what, wrong) => {
  const { logins } = open();
  expect(await logins.exchange(logins.approve(asked, ADA), { ...proof, ...wrong })).toBeUndefined();
});

it('gives nothing for a code that is over', async () => {
  const { logins, pass } = open();
  const code = logins.approve(asked, ADA);
  pass(61);
  expect(await logins.exchange(code, proof)).toBeUndefined();
});

it.each([
  ['a place outside of this machine', { redirect_uri: 'https://elsewhere.example/' }],
  ['a place that only begins like this machine', { redirect_uri: 'http://127.0.0.1.elsewhere.example/' }],
  ['a client that it does not know', { client_id: 'other' }],
  ['a login without a challenge', { code_challenge: '' }],
  ['a challenge in the clear', { code_challenge_method: 'plain' }],
])('sends no browser to %s', (_what, wrong) => {
  const fields = {
    response_type: 'code',
    client_id: 'console',
    redirect_uri: asked.redirectUri,
    code_challenge: asked.challenge,
    code_challenge_method: 'S256',
    nonce: 'n',
  };
  expect(codeRequestOf(new URLSearchParams(fields))).toEqual(asked);
  expect(codeRequestOf(new URLSearchParams({ ...fields, ...wrong }))).toBeUndefined();
});
