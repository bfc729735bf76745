import { createPrivateKey, createPublicKey } from 'node:crypto';
import { join } from 'node:path';
import { calculateJwkThumbprint, exportJWK, exportPKCS8, generateKeyPair, importPKCS8, SignJWT } from 'jose';
import { readIfPresent, writePrivateFile, writePrivateJson } from '../state/private-file.ts';
import { reasonOf, type Terminal } from '../terminal.ts';

const ALGORITHM = 'EdDSA';
const ISSUER = 'urn:supplier-submissions:local';
const LIFETIME_MINUTES = 12 * 60;
/** Long before tokens expire. */
export const REFRESH_MS = 4 * 60 * 60 * 1000;
const LOOK_EVERY_MS = 60_000;

export const audiences = ['account', 'submission', 'document', 'billing', 'webhook'] as const;
export type Audience = (typeof audiences)[number];

/** Who calls whom: a token is valid for one service. */
const serviceCalls: Readonly<Record<string, readonly Audience[]>> = {
  gateway: ['account', 'submission', 'document'],
  submission: ['billing', 'document', 'webhook'],
  billing: ['account', 'submission'],
  webhook: ['submission', 'account'],
  document: ['submission'],
};

const SERVICES = ['gateway', 'journey', ...audiences];

export const issuersFile = (folder: string) => join(folder, 'issuers.json');
export const tokenFolder = (folder: string, service: string) => join(folder, 'tokens', service);

export type TokenIssuer = Awaited<ReturnType<typeof openTokenIssuer>>;

export interface IdToken {
  readonly issuer: string;
  readonly subject: string;
  readonly clientId: string;
  readonly nonce: string;
}

export interface StaffMember {
  readonly name: string;
  readonly roles: readonly string[];
}

/** Opens the issuer, creates its key on the first run, and writes the file that makes services trust it. */
export async function openTokenIssuer(folder: string) {
  const pem = await signingKey(join(folder, 'issuer-key.pem'));
  const privateKey = await importPKCS8(pem, ALGORITHM);
  const publicJwk = await exportJWK(createPublicKey(createPrivateKey(pem)));
  const kid = await calculateJwkThumbprint(publicJwk);
  const jwk = { ...publicJwk, kid, alg: ALGORITHM, use: 'sig' };
  writePrivateJson(issuersFile(folder), [
    {
      issuer: ISSUER,
      jwks: { keys: [jwk] },
      roleClaim: 'roles',
      roles: ['staff:*'],
      services: Object.fromEntries(SERVICES.map((service) => [`service:${service}`, [service]])),
      maxTokenMinutes: LIFETIME_MINUTES,
    },
  ]);

  const sign = (
    claims: object,
    issuer: string,
    subject: string,
    audience: string | string[],
    minutes: number,
  ) =>
    new SignJWT({ ...claims })
      .setProtectedHeader({ alg: ALGORITHM, kid })
      .setIssuer(issuer)
      .setSubject(subject)
      .setAudience(audience)
      .setIssuedAt()
      .setExpirationTime(`${minutes} minutes`)
      .sign(privateKey);
  const issue = (
    subject: string,
    audience: string | string[],
    roles: readonly string[],
    minutes = LIFETIME_MINUTES,
  ) => sign({ roles }, ISSUER, subject, audience, minutes);

  return {
    /** Writes new tokens for all calls between services. */
    async refreshServiceTokens(): Promise<void> {
      for (const [service, called] of Object.entries(serviceCalls))
        for (const audience of called) {
          const token = await issue(service, audience, [`service:${service}`]);
          writePrivateFile(join(tokenFolder(folder, service), audience), token);
        }
    },
    /** Issues an administrator's token that is valid for every service. */
    staffToken: () => issue('local-administrator', [...audiences], ['staff:admin']),
    staffTokenOf: ({ name, roles }: StaffMember, minutes: number) =>
      issue(name, [...audiences], roles, minutes),
    /** Issues an ID token for a client whose user has logged in (OpenID Connect). */
    idTokenOf: ({ issuer, subject, clientId, nonce }: IdToken) =>
      sign({ nonce }, issuer, subject, clientId, 5),
  };
}

/** Calls `refresh` before tokens expire. Checks every minute, because a machine that was asleep has to catch up when it wakes. */
export function keepTokensFresh(refresh: () => Promise<void>, terminal: Terminal): void {
  let refreshedAt = Date.now();
  setInterval(async () => {
    if (Date.now() - refreshedAt < REFRESH_MS) return;
    try {
      await refresh();
      refreshedAt = Date.now();
    } catch (error) {
      terminal.warn(`cannot refresh the tokens, retrying in a minute: ${reasonOf(error)}`);
    }
  }, LOOK_EVERY_MS).unref();
}

/** Converts the text of the issuers file to the chart's `staffIssuers`. */
export function staffIssuersOf(text: string): unknown[] {
  const [{ services: _, ...issuer }] = JSON.parse(text) as [Record<string, unknown>];
  return [issuer];
}

async function signingKey(path: string): Promise<string> {
  const stored = readIfPresent(path);
  if (stored) return stored;
  const { privateKey } = await generateKeyPair(ALGORITHM, { crv: 'Ed25519', extractable: true });
  const pem = await exportPKCS8(privateKey);
  writePrivateFile(path, pem);
  return pem;
}
