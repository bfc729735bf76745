import { claimedRoles, isClaimPath } from './index.ts';

const ROLES = ['staff:viewer', 'staff:billing'];
const rolesOf = (path: string, claims: string) => claimedRoles(path)(JSON.parse(claims));

describe('claimedRoles', () => {
  it.each([
    ['a list', 'roles', { roles: ROLES }],
    ['a string with spaces', 'roles', { roles: 'staff:viewer staff:billing' }],
    ['a string with repeated spaces', 'roles', { roles: '  staff:viewer   staff:billing ' }],
    ['a list within an object', 'realm_access.roles', { realm_access: { roles: ROLES } }],
    [
      'a string within objects',
      'resource_access.leads.roles',
      { resource_access: { leads: { roles: ROLES.join(' ') } } },
    ],
    [
      'a claim whose own name has dots',
      'https://leads.example/roles',
      { 'https://leads.example/roles': ROLES },
    ],
    [
      'within an object whose name has a dot',
      String.raw`resource_access.leads\.example.roles`,
      { resource_access: { 'leads.example': { roles: ROLES } } },
    ],
    [
      'a claim named like the complete path, rather than the nested one',
      'a.roles',
      { a: { roles: ['staff:admin'] }, 'a.roles': ROLES },
    ],
  ])('reads roles from %s', (_what, path, claims) => {
    expect(claimedRoles(path)(claims)).toEqual(ROLES);
  });

  it('returns one role when the claim is a single word', () => {
    expect(claimedRoles('role')({ role: 'staff:viewer' })).toEqual(['staff:viewer']);
  });

  it.each([
    ['absent', 'roles', '{}'],
    ['null', 'roles', '{"roles": null}'],
    ['an empty list', 'roles', '{"roles": []}'],
    ['an empty string', 'roles', '{"roles": ""}'],
    ['absent at the end of the path', 'a.b.roles', '{"a": {}}'],
    ['inside a string', 'a.length', '{"a": "staff:admin"}'],
    ['inside a list', 'a.0', '{"a": ["staff:admin"]}'],
    ['on the prototype', '__proto__.roles', '{"roles": ["staff:admin"]}'],
    ['on the constructor', 'constructor.name', '{"roles": ["staff:admin"]}'],
    ['inherited within an object', 'a.__proto__.constructor.name', '{"a": {}}'],
  ])('returns no roles when the claim is %s', (_what, path, claims) => {
    expect(rolesOf(path, claims)).toEqual([]);
  });

  it('ignores roles from a polluted prototype', () => {
    const polluted = Object.create({ roles: ['staff:admin'], a: { roles: ['staff:admin'] } });
    expect(claimedRoles('roles')(polluted)).toEqual([]);
    expect(claimedRoles('a.roles')(polluted)).toEqual([]);
  });

  it('does not split list items that contain spaces', () => {
    expect(claimedRoles('groups')({ groups: ['friends staff:admin'] })).toEqual(['friends staff:admin']);
  });

  it.each([
    ['a number', '7'],
    ['a boolean', 'true'],
    ['an object', '{"0": "staff:admin"}'],
    ['a list with a number', '["staff:viewer", 7]'],
    ['a list within a list', '[["staff:admin"]]'],
    ['a list with null', '[null]'],
    ['a list of 201', JSON.stringify(new Array(201).fill('staff:viewer'))],
    ['a string of 201', JSON.stringify(new Array(201).fill('staff:viewer').join(' '))],
  ])('returns undefined when the claim is %s', (_what, claim) => {
    expect(rolesOf('roles', `{"roles": ${claim}}`)).toBeUndefined();
  });

  it('accepts up to 200 roles', () => {
    expect(claimedRoles('roles')({ roles: new Array(200).fill('x') })).toHaveLength(200);
    expect(claimedRoles('roles')({ roles: new Array(200).fill('x').join(' ') })).toHaveLength(200);
  });
});

describe('isClaimPath', () => {
  it.each([
    'roles',
    'realm_access.roles',
    'https://leads.example/roles',
    String.raw`a\.b.roles`,
    'Rollen der Firma',
  ])('accepts %s', (path) => {
    expect(isClaimPath(path)).toBe(true);
  });

  it.each(['', '.', '.roles', 'roles.', 'a..b', 'a\\', new Array(9).fill('a').join('.'), 'x'.repeat(201)])(
    'rejects %j',
    (path) => {
      expect(isClaimPath(path)).toBe(false);
    },
  );
});
