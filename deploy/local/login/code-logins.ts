import { createHash, randomBytes } from 'node:crypto';
import { type Person, TOKEN_MINUTES } from './device-logins.ts';

/** How long a code can be exchanged, in seconds. */
const CODE_SECONDS = 60;
/** Logins whose code waits, and refresh tokens that were given out; the oldest make room. */
const MOST = 100;

/** What a client asks for when it sends a browser here (RFC 6749, RFC 7636 and OpenID Connect). */
export interface CodeRequest {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly challenge: string;
  readonly nonce: string;
}

export interface GivenTokens {
  readonly accessToken: string;
  readonly idToken: string;
  readonly refreshToken: string;
}

/** Browsers that somebody logs in with, by the code flow with PKCE. */
export interface CodeLogins {
  /** A code for what was asked, now that somebody has said who they are. */
  approve(request: CodeRequest, person: Person): string;
  /** Tokens for a code, once, to whoever knows the verifier of its challenge. */
  exchange(
    code: string,
    proof: Omit<CodeRequest, 'challenge' | 'nonce'> & { readonly verifier: string },
  ): Promise<GivenTokens | undefined>;
  /** New tokens for a refresh token, which is used up. */
  refresh(refreshToken: string, clientId: string): Promise<GivenTokens | undefined>;
}

interface Login {
  readonly request: CodeRequest;
  readonly person: Person;
}

export function codeLogins(means: {
  readonly issue: (person: Person, minutes: number) => Promise<string>;
  readonly identify: (person: Person, clientId: string, nonce: string) => Promise<string>;
  readonly now: () => number;
}): CodeLogins {
  const codes = new Map<string, Login & { readonly endsAt: number }>();
  const refreshes = new Map<string, Login>();

  async function give(login: Login): Promise<GivenTokens> {
    const { request, person } = login;
    const refreshToken = keep(refreshes, login);
    const [accessToken, idToken] = await Promise.all([
      means.issue(person, TOKEN_MINUTES),
      means.identify(person, request.clientId, request.nonce),
    ]);
    return { accessToken, idToken, refreshToken };
  }

  return {
    approve: (request, person) =>
      keep(codes, { request, person, endsAt: means.now() + CODE_SECONDS * 1_000 }),
    async exchange(code, { clientId, redirectUri, verifier }) {
      const login = take(codes, code);
      if (!login || login.endsAt <= means.now()) return undefined;
      const { request } = login;
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const fits =
        request.clientId === clientId &&
        request.redirectUri === redirectUri &&
        request.challenge === challenge;
      return fits ? give(login) : undefined;
    },
    async refresh(refreshToken, clientId) {
      const login = take(refreshes, refreshToken);
      return login?.request.clientId === clientId ? give(login) : undefined;
    },
  };
}

function keep<Value>(kept: Map<string, Value>, value: Value): string {
  for (const oldest of kept.keys()) {
    if (kept.size < MOST) break;
    kept.delete(oldest);
  }
  const secret = randomBytes(32).toString('base64url');
  kept.set(secret, value);
  return secret;
}

function take<Value>(kept: Map<string, Value>, secret: string): Value | undefined {
  const value = kept.get(secret);
  kept.delete(secret);
  return value;
}
