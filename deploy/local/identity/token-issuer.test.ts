import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalJWKSet, jwtVerify } from 'jose';
import { audiences, issuersFile, openTokenIssuer, tokenFolder } from './token-issuer.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'issuer-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Checks a token as a service does, with the issuers file. */
async function accepted(token: string, audience: string) {
  const [{ issuer, jwks, roleClaim }] = JSON.parse(readFileSync(issuersFile(folder), 'utf8'));
  const { payload } = await jwtVerify(token, createLocalJWKSet(jwks), { issuer, audience });
  return {
    subject: payload.sub,
    roles: payload[roleClaim],
    hours: ((payload.exp ?? 0) - (payload.iat ?? 0)) / 3600,
  };
}

const serviceToken = (service: string, audience: string) =>
  readFileSync(join(tokenFolder(folder, service), audience), 'utf8');

describe('the development issuer', () => {
  it('gives each service a token with its role for each service it calls, valid for 12 hours and only there', async () => {
    await (await openTokenIssuer(folder)).refreshServiceTokens();
    const token = serviceToken('gateway', 'submission');
    expect(await accepted(token, 'submission')).toEqual({
      subject: 'gateway',
      roles: ['service:gateway'],
      hours: 12,
    });
    await expect(accepted(token, 'account')).rejects.toThrow(/aud/);
    expect(await accepted(serviceToken('webhook', 'submission'), 'submission')).toMatchObject({
      roles: ['service:webhook'],
    });
  });

  it('gives staff a token that every service accepts', async () => {
    const token = await (await openTokenIssuer(folder)).staffToken();
    for (const audience of audiences)
      expect(await accepted(token, audience)).toMatchObject({ roles: ['staff:admin'] });
  });

  it('keeps its key between runs, readable only by its owner', async () => {
    const token = await (await openTokenIssuer(folder)).staffToken();
    await openTokenIssuer(folder);
    expect(await accepted(token, 'billing')).toMatchObject({ roles: ['staff:admin'] });
    expect(statSync(join(folder, 'issuer-key.pem')).mode & 0o777).toBe(0o600);
  });
});
