import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPair, SignJWT } from 'jose';

export interface TestIdentityProvider {
  readonly url: string;
  /** The person who logs in next. */
  person: { subject: string; roles: unknown };
  /** Stated lifetime of the next access token in seconds, and whether tokens are renewed, with the same refresh token or not. */
  token: { seconds: number | undefined; renews: boolean; keepsRefreshToken?: boolean };
  /** The OAuth error and status of the next token responses. */
  error: { status: number; code: string } | undefined;
  /** Whether the provider accepts connections and breaks them. */
  isAway: boolean;
  /** Delays the next token responses until released. */
  hold(): { readonly asked: Promise<void>; release(): void };
  /** Refresh tokens that were used. */
  readonly renewals: string[];
  /** Returns the URL the browser is redirected back to after it was sent to `url`. */
  login(url: string): URL;
  close(): Promise<unknown>;
}

/** Starts an identity provider that asks for no credentials, and checks what a client must prove. */
export async function startIdentityProvider(): Promise<TestIdentityProvider> {
  const { privateKey } = await generateKeyPair('EdDSA');
  const codes = new Map<string, URLSearchParams>();
  let held: { asked(): void; readonly until: Promise<void> } | undefined;
  const jwt = (claims: Record<string, unknown>, seconds: number) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'EdDSA' })
      .setIssuedAt()
      .setExpirationTime(Math.floor(Date.now() / 1_000) + seconds)
      .sign(privateKey);

  const server = createServer(async (request, response) => {
    const say = (status: number, body: object) =>
      void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (provider.isAway) return void request.socket.destroy();
    if (request.url === '/.well-known/openid-configuration')
      return say(200, {
        issuer: provider.url,
        authorization_endpoint: `${provider.url}/authorize`,
        token_endpoint: `${provider.url}/token`,
        id_token_signing_alg_values_supported: ['EdDSA'],
      });
    const stated = await form(request);
    held?.asked();
    await held?.until;
    const { subject, roles } = provider.person;
    const { seconds, renews, keepsRefreshToken = false } = provider.token;
    if (provider.error) return say(provider.error.status, { error: provider.error.code });
    const asked = codes.get(stated.get('code') ?? '');
    codes.delete(stated.get('code') ?? '');
    if (stated.get('grant_type') === 'refresh_token' && renews)
      provider.renewals.push(stated.get('refresh_token') ?? '');
    else if (!asked || !isProven(asked, stated)) return say(400, { error: 'invalid_grant' });
    const idToken = {
      iss: provider.url,
      aud: 'console',
      sub: subject,
      nonce: asked?.get('nonce') ?? undefined,
    };
    say(200, {
      access_token: await jwt({ sub: subject, roles }, seconds ?? 300),
      token_type: 'Bearer',
      ...(seconds === undefined ? {} : { expires_in: seconds }),
      ...(asked ? { id_token: await jwt(idToken, 300) } : {}),
      ...(renews && (asked || !keepsRefreshToken) ? { refresh_token: randomUUID() } : {}),
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  const provider: TestIdentityProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    person: { subject: 'jo', roles: ['staff:operator'] },
    token: { seconds: 3_600, renews: false },
    error: undefined,
    isAway: false,
    hold() {
      const asked = Promise.withResolvers<void>();
      const until = Promise.withResolvers<void>();
      held = { asked: asked.resolve, until: until.promise };
      return {
        asked: asked.promise,
        release() {
          held = undefined;
          until.resolve();
        },
      };
    },
    renewals: [],
    login(url) {
      const asked = new URL(url).searchParams;
      const code = randomUUID();
      codes.set(code, asked);
      const back = new URL(asked.get('redirect_uri') ?? '');
      back.searchParams.set('code', code);
      back.searchParams.set('state', asked.get('state') ?? '');
      return back;
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
  return provider;
}

function isProven(asked: URLSearchParams, stated: URLSearchParams): boolean {
  const challenge = createHash('sha256')
    .update(stated.get('code_verifier') ?? '')
    .digest('base64url');
  return (
    asked.get('code_challenge') === challenge &&
    asked.get('client_id') === 'console' &&
    stated.get('redirect_uri') === asked.get('redirect_uri')
  );
}

async function form(request: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return new URLSearchParams(text);
}
