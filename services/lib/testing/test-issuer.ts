import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const ISSUER = 'https://issuer.test';
const SERVICES = ['gateway', 'journey', 'account', 'submission', 'document', 'billing', 'webhook'];

/** A separate issuer for a test: services that get its file trust its tokens. */
export interface TestIssuer {
  readonly issuersFile: string;
  /**
   * Returns a token for `audience`, valid for ten minutes unless `seconds` is given. The role of a service is only for
   * that service or `tester`.
   */
  tokenOf(subject: string, role: string, audience: string, seconds?: number): Promise<string>;
  /** Removes the file. */
  close(): void;
}

export async function createTestIssuer(): Promise<TestIssuer> {
  const dir = mkdtempSync(join(tmpdir(), 'test-issuer-'));
  const issuersFile = join(dir, 'issuers.json');
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA' }] };
  const services = Object.fromEntries(SERVICES.map((name) => [`service:${name}`, [name, 'tester']]));
  const trusted = { issuer: ISSUER, jwks, roleClaim: 'roles', roles: ['staff:*'], services };
  writeFileSync(issuersFile, JSON.stringify([{ ...trusted, maxTokenMinutes: 60 }]));
  return {
    issuersFile,
    tokenOf: (subject, role, audience, seconds = 600) =>
      new SignJWT({ roles: [role] })
        .setProtectedHeader({ alg: 'EdDSA' })
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setSubject(subject)
        .setIssuedAt()
        .setExpirationTime(`${seconds}s`)
        .sign(privateKey),
    close: () => rmSync(dir, { recursive: true }),
  };
}
