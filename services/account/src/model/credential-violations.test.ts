import { credentialViolations } from './credential-violations.ts';

const now = new Date('2026-11-20T12:00:00.000Z');
const after = (ms: number) => new Date(now.getTime() + ms);

describe('credentialViolations', () => {
  it.each([null, after(1)])('accepts scopes within those of the account, ending %s', (expiresAt) => {
    expect(credentialViolations({ scopes: ['read'], expiresAt }, ['read', 'correct'], now)).toEqual([]);
  });

  it.each([0, -1, -1_000])('refuses an end %s ms from now', (ms) => {
    expect(credentialViolations({ scopes: ['read'], expiresAt: after(ms) }, ['read'], now)).toEqual([
      { path: 'expires_at', message: 'must be in the future' },
    ]);
  });

  it('refuses each scope that the account does not have, and the end with it', () => {
    const requested = { scopes: ['promote', 'read', 'correct'], expiresAt: now };
    expect(credentialViolations(requested, ['read'], now)).toEqual([
      { path: 'scopes.0', message: 'is not permitted to the account' },
      { path: 'scopes.2', message: 'is not permitted to the account' },
      { path: 'expires_at', message: 'must be in the future' },
    ]);
  });
});
