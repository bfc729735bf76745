import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exitCodes } from '../exit-codes.ts';
import { logIn } from './device-flow.ts';

/** What the issuer says each time it is asked for the token, and for how long its code is valid. */
let answers: object[];
let expiresIn: number;
let issuer: string;
let server: Server;

beforeEach(async () => {
  expiresIn = 600;
  server = createServer(({ url = '' }, response) => {
    const bodies: Record<string, object | undefined> = {
      '/.well-known/openid-configuration': {
        issuer,
        device_authorization_endpoint: `${issuer}/device`,
        token_endpoint: `${issuer}/token`,
      },
      '/device': {
        device_code: 'd',
        user_code: 'ABCD-EFGH',
        verification_uri: `${issuer}/confirm`,
        expires_in: expiresIn,
        interval: 0.7,
      },
      '/token': answers.length > 1 ? answers.shift() : answers[0],
    };
    const body = bodies[url] ?? {};
    response.writeHead('error' in body ? 400 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => void server.close().closeAllConnections());

const start = () => {
  const prompt = jest.fn();
  return { prompt, token: logIn({ issuer, clientId: 'sss' }, prompt, new AbortController().signal) };
};
const PENDING = { error: 'authorization_pending' };

it('returns the token once the user has confirmed the code, which is valid for as long as the issuer says', async () => {
  answers = [PENDING, { access_token: 'granted', token_type: 'bearer' }];
  const { prompt, token } = start();
  expect(await token).toBe('granted');
  const code = { url: `${issuer}/confirm`, code: 'ABCD-EFGH', expiresInSeconds: 600 };
  expect(prompt.mock.calls).toEqual([[code]]);
});

it.each([
  ['denied', { error: 'access_denied' }, 'access was denied'],
  ['reported expired', { error: 'expired_token' }, 'the code has expired'],
  ['not confirmed in time', PENDING, 'the code has expired'],
])('fails when the login is %s', async (what, answer, message) => {
  answers = [answer];
  expiresIn = what === 'not confirmed in time' ? 1 : 600;
  await expect(start().token).rejects.toMatchObject({
    message: expect.stringContaining(message),
    exitCode: exitCodes.notPermitted,
  });
});
