import * as oidc from 'openid-client';
import type { OidcClient } from '../config.ts';
import type { Tokens } from '../sessions/sessions.ts';

const ANSWER_SECONDS = 10;
/** Where a provider does not say how long its token is good for. */
const SHORTEST_SECONDS = 300;

/** What a browser is sent away with, and what it must come back to. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The identity provider, by OpenID Connect's code flow with PKCE. Everything rejects while it cannot be reached. */
export interface IdentityProvider {
  /** Where the browser goes to log in. */
  begin(asksAgain: boolean): Promise<{ readonly url: URL; readonly attempt: Attempt }>;
  /** The tokens for the code that the browser came back with. Rejects for an answer that is not to this attempt. */
  finish(cameBackTo: URL, attempt: Attempt): Promise<Tokens>;
  /** Undefined when the provider refuses it. */
  renew(refreshToken: string): Promise<Tokens | undefined>;
}

/** `callback` is where browsers come back to. What the provider says of itself is asked for by the first login. */
export function identityProvider(client: OidcClient, callback: URL, now: () => number): IdentityProvider {
  let found: Promise<oidc.Configuration> | undefined;
  const discovered = () => {
    found ??= discover(client).catch((error: unknown) => {
      found = undefined;
      throw error;
    });
    return found;
  };
  const tokensOf = (answer: oidc.TokenEndpointResponse, before?: string): Tokens => ({
    accessToken: answer.access_token,
    refreshToken: answer.refresh_token ?? before,
    endsAt: now() + (answer.expires_in ?? SHORTEST_SECONDS) * 1_000,
  });

  return {
    async begin(asksAgain) {
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        verifier: oidc.randomPKCECodeVerifier(),
      };
      const url = oidc.buildAuthorizationUrl(await discovered(), {
        redirect_uri: callback.href,
        scope: client.scopes,
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
        code_challenge_method: 'S256',
        ...(asksAgain ? { prompt: 'login' } : {}),
      });
      return { url, attempt };
    },
    async finish(cameBackTo, { state, nonce, verifier }) {
      const answer = await oidc.authorizationCodeGrant(await discovered(), cameBackTo, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      return tokensOf(answer);
    },
    async renew(refreshToken) {
      try {
        return tokensOf(await oidc.refreshTokenGrant(await discovered(), refreshToken), refreshToken);
      } catch (error) {
        if (error instanceof oidc.ResponseBodyError && error.error === 'invalid_grant') return undefined;
        throw error;
      }
    },
  };
}

function discover({ issuer, clientId, clientSecret }: OidcClient): Promise<oidc.Configuration> {
  // The settings let a plain address pass in a local stack alone.
  const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  return oidc.discovery(issuer, clientId, undefined, authentication, { execute, timeout: ANSWER_SECONDS });
}
