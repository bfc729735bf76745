import { UnsecuredJWT } from 'jose';
import { personReader } from '../app.ts';

const token = (claims: Record<string, unknown>) => new UnsecuredJWT({ sub: 'jo', ...claims }).encode();

describe('the person in an access token', () => {
  it.each<[string, string, Record<string, unknown>]>([
    ['a list', 'roles', { roles: ['staff:viewer', 'staff:admin', 'vpn', 'service:gateway'] }],
    [
      'a list in a nested claim',
      'realm_access.roles',
      { realm_access: { roles: ['staff:viewer', 'staff:admin'] } },
    ],
  ])('has the staff roles from %s', (_what, roleClaim, claims) => {
    expect(personReader(roleClaim)(token(claims))).toEqual({
      subject: 'jo',
      roles: ['staff:viewer', 'staff:admin'],
    });
  });

  it.each<[string, string, Record<string, unknown>]>([
    ['unreadable', 'roles', { roles: ['staff:admin', 7] }],
  ])('has no roles when the claim is %s', (_what, roleClaim, claims) => {
    expect(personReader(roleClaim)(token(claims)).roles).toEqual([]);
  });

  it.each([
    ['without a subject', new UnsecuredJWT({ roles: ['staff:admin'] }).encode()],
    ['with an empty subject', token({ sub: '' })],
    ['that is not a JWT', 'opaque'],
  ])('cannot be read from a token %s', (_what, accessToken) => {
    expect(() => personReader('roles')(accessToken)).toThrow();
  });
});
