import { createPrivateKey, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readStack, stackFile } from './stack.ts';

const SERVICE = 'service:';

export interface TokenOptions {
  readonly roles: readonly string[];
  readonly audience: string | readonly string[];
  readonly issuer?: string;
  /** By default a service for its role, and `test` for people: only a service's own subject may have its role. */
  readonly subject?: string;
  /** Seconds from now; negative for a token that is over. */
  readonly expiresIn?: number;
  /** Claims beside or instead of the usual ones; undefined leaves one out. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** By whom it is signed, when not by the issuer that the stack trusts. */
  readonly key?: KeyObject;
}

/** A caller's token as the stack's own development issuer would make it, or nearly so. */
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

/** The same claims under another header, without a signature. */
export function unsigned(text: string): string {
  const [, claims = ''] = text.split('.');
  return `${write({ alg: 'none', typ: 'JWT' })}.${claims}.`;
}

const issuerKey = (): KeyObject =>
  createPrivateKey(readFileSync(join(dirname(stackFile()), 'identity', 'issuer-key.pem')));
const read = (part: string | undefined): Record<string, unknown> =>
  JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
const write = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
