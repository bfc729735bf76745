import { readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import type { Settings } from '../config.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { Context } from './context.ts';
import { readStoredToken } from './token-store.ts';

/** A token, and where it came from. */
export interface FoundToken {
  readonly token: string;
  readonly source: string;
}

/** What a token says of itself; a command line cannot tell whether it is true. */
export interface TokenClaims {
  readonly subject: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly roles: readonly string[];
  readonly endsAt: Date | undefined;
}

/**
 * The token to call with: of --token-file, of SSS_TOKEN, of `sss login`, or the local stack's. Throws CommandFailure
 * when there is none, or when it is over.
 */
export function findToken(
  context: Context,
  tokenFile: string | undefined,
  settings: Settings,
  now: Date,
): FoundToken {
  const found = search(context, tokenFile, settings);
  if (!found)
    throw new CommandFailure(
      exitCodes.notPermitted,
      `there is no token for ${context.name}: run \`sss login\``,
    );
  const { endsAt } = claimsOf(found.token);
  if (endsAt && endsAt <= now)
    throw new CommandFailure(
      exitCodes.notPermitted,
      `the token of ${found.source} ended at ${endsAt.toISOString()}: run \`sss login\``,
    );
  return found;
}

function search(context: Context, tokenFile: string | undefined, settings: Settings): FoundToken | undefined {
  if (tokenFile !== undefined) return { token: readTokenFile(tokenFile), source: tokenFile };
  if (settings.token !== undefined) return { token: settings.token, source: 'SSS_TOKEN' };
  const stored = readStoredToken(settings.folder, context.key);
  if (stored !== undefined) return { token: stored, source: '`sss login`' };
  return context.localToken === undefined
    ? undefined
    : { token: context.localToken, source: 'the local stack' };
}

function readTokenFile(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim();
  } catch (error) {
    throw new CommandFailure(exitCodes.usage, `${path} cannot be read: ${(error as Error).message}`);
  }
}

/** Reads a token without verifying it: services do that. Throws CommandFailure for what is no token. */
export function claimsOf(token: string): TokenClaims {
  try {
    const { sub = '', iss = '', aud = [], exp, roles } = decodeJwt(token);
    return {
      subject: sub,
      issuer: iss,
      audiences: [aud].flat(),
      roles: Array.isArray(roles) ? roles.map(String) : [],
      endsAt: exp === undefined ? undefined : new Date(exp * 1_000),
    };
  } catch {
    throw new CommandFailure(
      exitCodes.notPermitted,
      'the token is no JWT: run `sss login`, or look at where it comes from',
    );
  }
}
