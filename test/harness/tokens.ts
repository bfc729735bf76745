import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readStack, stackFile } from './stack.ts';

const SERVICE = 'service:';

export interface TokenOptions {
  readonly roles: readonly string[];
  readonly audience: string | readonly string[];
  readonly issuer?: string;
  /**
   * By default the service name for a service role, and `test` for people: a service role is valid only for its own
   * subject.
   */
  readonly subject?: string;
  /** Seconds from now; negative for an expired token. */
  readonly expiresIn?: number;
  /** Claims that add to or replace the usual ones; undefined removes one. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** The signing key, if not that of the issuer that the stack trusts. */
  readonly key?: KeyObject;
}

/** Returns a caller's token as the stack's development issuer would sign it, with the given differences. */
export function token(options: TokenOptions): string {
  const { roles, audience, issuer, subject, expiresIn = 300, claims, key } = options;
  const known = readStack().staffToken.split('.');
  const { iss } = read(known[1]);
  const now = Math.floor(Date.now() / 1000);
  const sub = subject ?? roles.find((role) => role.startsWith(SERVICE))?.slice(SERVICE.length) ?? 'test';
  const usual = { iss: issuer ?? iss, aud: audience, sub, iat: now, exp: now + expiresIn, roles };
  const signed = `${known[0]}.${write({ ...usual, ...claims })}`;
  return `${signed}.${sign(null, Buffer.from(signed), key ?? issuerKey()).toString('base64url')}`;
}

const issuerKey = (): KeyObject =>
  createPrivateKey(readFileSync(join(dirname(stackFile()), 'identity', 'issuer-key.pem')));
const read = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
const write = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
