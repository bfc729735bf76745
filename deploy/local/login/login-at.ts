import type { RequestListener } from 'node:http';
import type { StaffMember, TokenIssuer } from '../identity/token-issuer.ts';
import { codeLogins } from './code-logins.ts';
import { deviceLogins } from './device-logins.ts';
import { answerLogin } from './endpoints.ts';

/** A login that answers to `origin` and to no other name, and gives an issuer's tokens to whoever says who they are. */
export function loginAt(origin: string, { staffTokenOf, idTokenOf }: TokenIssuer): RequestListener {
  const means = {
    issue: staffTokenOf,
    identify: ({ name }: StaffMember, clientId: string, nonce: string) =>
      idTokenOf({ issuer: origin, subject: name, clientId, nonce }),
    now: Date.now,
  };
  return answerLogin(origin, { devices: deviceLogins(means), browsers: codeLogins(means) });
}
