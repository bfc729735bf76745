import * as oidc from 'openid-client';
import type { OidcClient } from '../config.ts';
import type { Tokens } from '../sessions/session-store.ts';

/** A renewal takes up to two requests, which must end before its lease does. */
const ANSWER_SECONDS = 5;
/** Assumed when the provider doesn't return a token lifetime. */
const SHORTEST_SECONDS = 300;

/** Values sent with the browser's login request, which the response must match. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/**
 * The identity provider, using OpenID Connect's code flow with PKCE. Every method rejects while it can't be reached.
 */
export interface IdentityProvider {
  /** Returns the URL where the browser logs in. */
  begin(asksAgain: boolean): Promise<{ readonly url: URL; readonly attempt: Attempt }>;
  /**
   * Exchanges the code that the browser returned with for tokens. Rejects when the response doesn't match the attempt.
   */
  finish(cameBackTo: URL, attempt: Attempt): Promise<Tokens>;
  /** Returns undefined when the provider refuses the token. */
  renew(refreshToken: string): Promise<Tokens | undefined>;
}

/**
 * Creates a client of the identity provider. `callback` is where browsers return to. The first login fetches the
 * provider's metadata.
 */
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
  // The settings allow a plain HTTP address only in a local stack.
  const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : [];
  const authentication = clientSecret === undefined ? oidc.None() : oidc.ClientSecretBasic(clientSecret);
  return oidc.discovery(issuer, clientId, undefined, authentication, { execute, timeout: ANSWER_SECONDS });
}
