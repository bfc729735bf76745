import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';

const ISSUER = 'https://issuer.test';

/** An issuer of a test's own: services that are given its file trust its tokens. */
export interface TestIssuer {
  readonly issuersFile: string;
  /** A token for ten minutes that `audience` takes. */
  tokenOf(subject: string, role: string, audience: string): Promise<string>;
  /** Removes the file. */
  close(): void;
}

export async function createTestIssuer(): Promise<TestIssuer> {
  const dir = mkdtempSync(join(tmpdir(), 'test-issuer-'));
  const issuersFile = join(dir, 'issuers.json');
  const { publicKey, privateKey } = await generateKeyPair('EdDSA');
  const jwks = { keys: [{ ...(await exportJWK(publicKey)), alg: 'EdDSA' }] };
  writeFileSync(issuersFile, JSON.stringify([{ issuer: ISSUER, jwks, roleClaim: 'roles' }]));
  return {
    issuersFile,
    tokenOf: (subject, role, audience) =>
      new SignJWT({ roles: [role] })
        .setProtectedHeader({ alg: 'EdDSA' })
        .setIssuer(ISSUER)
        .setAudience(audience)
        .setSubject(subject)
        .setExpirationTime('10m')
        .sign(privateKey),
    close: () => rmSync(dir, { recursive: true }),
  };
}
