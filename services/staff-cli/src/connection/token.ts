import { readFileSync } from 'node:fs';
import { decodeJwt } from 'jose';
import type { Settings } from '../config.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { Context } from './context.ts';
import { readStoredToken } from './token-store.ts';

export interface FoundToken {
  readonly token: string;
  readonly source: string;
}

/** The claims of a token, which the command line can't verify. */
export interface TokenClaims {
  readonly subject: string;
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly roles: readonly string[];
  readonly endsAt: Date | undefined;
}

/**
 * Returns the token for calls: from --token-file, SSS_TOKEN, `sss login` or the local stack, in this order. Throws
 * CommandFailure when there is none or it has expired.
 */
export function findToken(
  context: Context,
  tokenFile: string | undefined,
  settings: Settings,
  now: Date,
): FoundToken {
  const found = search(context, tokenFile, settings);
  if (!found)
    throw new CommandFailure(exitCodes.notPermitted, `not logged in to ${context.name}: run \`sss login\``);
  const { endsAt } = claimsOf(found.token);
  if (endsAt && endsAt <= now)
    throw new CommandFailure(
      exitCodes.notPermitted,
      `the token from ${found.source} expired at ${endsAt.toISOString()}: run \`sss login\``,
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
    throw new CommandFailure(exitCodes.usage, `cannot read ${path}: ${(error as Error).message}`);
  }
}

/** Reads a token without verifying it, which the services do. Throws CommandFailure if it is not a JWT. */
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
      'the token is not a JWT: run `sss login`, or check where it comes from',
    );
  }
}
