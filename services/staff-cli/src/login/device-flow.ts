import * as oauth from 'openid-client';
import type { Login } from '../connection/context-schema.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';

const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|localhost)$/;

/** What the user must do: open a page and confirm the code on it. */
export interface LoginPrompt {
  readonly url: string;
  readonly code: string;
  readonly expiresInSeconds: number;
}

/**
 * Gets an access token through OAuth's device flow (RFC 8628). `prompt` shows the user where to go. The wait ends when
 * the code expires or `signal` aborts. Throws CommandFailure.
 */
export async function logIn(
  { issuer, clientId, scope, audience }: Login,
  prompt: (invitation: LoginPrompt) => void,
  signal: AbortSignal,
): Promise<string> {
  try {
    const server = new URL(issuer);
    // Only an issuer on this machine may do without TLS.
    const plain = server.protocol === 'http:' && LOOPBACK.test(server.hostname);
    const config = await oauth.discovery(server, clientId, undefined, oauth.None(), {
      execute: plain ? [oauth.allowInsecureRequests] : [],
    });
    const authorization = await oauth.initiateDeviceAuthorization(config, {
      ...(scope !== undefined && { scope }),
      ...(audience !== undefined && { audience }),
    });
    prompt({
      url: authorization.verification_uri,
      code: authorization.user_code,
      expiresInSeconds: authorization.expires_in,
    });
    const bound = AbortSignal.any([signal, AbortSignal.timeout(authorization.expires_in * 1_000)]);
    const { access_token } = await oauth.pollDeviceAuthorizationGrant(config, authorization, undefined, {
      signal: bound,
    });
    return access_token;
  } catch (error) {
    if (signal.aborted) throw new CommandFailure(exitCodes.interrupted, 'interrupted: you are not logged in');
    throw new CommandFailure(exitOf(error), `login at ${issuer} failed: ${reasonOf(error)}`);
  }
}

function exitOf(error: unknown) {
  if (error instanceof oauth.ResponseBodyError) return exitCodes.notPermitted;
  return isTimeout(error) ? exitCodes.notPermitted : exitCodes.unavailable;
}

function reasonOf(error: unknown): string {
  if (error instanceof oauth.ResponseBodyError)
    return REASONS[error.error] ?? error.error_description ?? error.error;
  if (isTimeout(error)) return 'the code has expired: run `sss login` again';
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : '';
  return `${error.message}${cause}`;
}

const REASONS: Readonly<Record<string, string>> = {
  access_denied: 'access was denied',
  expired_token: 'the code has expired: run `sss login` again',
  invalid_client: 'the issuer does not know this client id',
};

/** The code's lifetime passed before the issuer reported that it expired. */
const isTimeout = (error: unknown): boolean =>
  error instanceof Error && (error.name === 'TimeoutError' || isTimeout(error.cause));
