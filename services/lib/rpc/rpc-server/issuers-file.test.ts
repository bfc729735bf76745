import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../runtime/config/index.ts';
import { readIssuers } from './issuers-file.ts';

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'issuers-'));
});
afterAll(() => rmSync(dir, { recursive: true }));

const jwk = { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), alg: 'EdDSA' };
const jwks = { keys: [jwk] };
const people = {
  issuer: 'people',
  jwks,
  roleClaim: 'groups',
  roles: ['staff:viewer', 'staff:op*'],
  maxTokenMinutes: 60,
};
const cluster = {
  issuer: 'cluster',
  jwks,
  services: { 'service:gateway': ['system:gateway'], 'service:webhook': ['system:webhook'] },
  maxTokenMinutes: 60,
};
const issuersOf = (content: unknown) => {
  const path = join(dir, 'issuers.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return readIssuers(path);
};

describe('the rights of an issuer', () => {
  const given = (entry: object, subject: string, claimed: string[]) =>
    issuersOf([entry])
      .get((entry as { issuer: string }).issuer)
      ?.rolesOf(subject, claimed);

  it.each<[string, object, string, string[], string[], string[]]>([
    ['the listed roles', people, 'jo', ['staff:viewer', 'vpn-users'], ['staff:viewer'], []],
    ['roles with a listed prefix', people, 'jo', ['staff:operator'], ['staff:operator'], []],
    ['no other role for people', people, 'jo', ['staff:admin'], [], ['staff:admin']],
    ['no longer one', people, 'jo', ['staff:viewers'], [], ['staff:viewers']],
    ['no service role for a group of any name', people, 'jo', ['service:gateway'], [], ['service:gateway']],
    ['a service by only its subject', cluster, 'system:gateway', [], ['service:gateway'], []],
    ['no role for another subject', cluster, 'system:other', [], [], []],
    ['no role for a subject named like an object property', cluster, '__proto__', ['constructor'], [], []],
    [
      'a service that is claimed and pinned',
      { ...cluster, roleClaim: 'roles' },
      'system:gateway',
      ['service:gateway', 'service:webhook'],
      ['service:gateway'],
      ['service:webhook'],
    ],
    [
      'no service that is pinned but not claimed',
      { ...cluster, roleClaim: 'roles' },
      'system:gateway',
      [],
      [],
      [],
    ],
  ])('cover %s', (_what, entry, subject, claimed, roles, withheld) => {
    expect(given(entry, subject, claimed)).toEqual({ roles, withheld });
  });
});

describe('readIssuers', () => {
  it.each<[string, unknown, string]>([
    [
      'of the previous format',
      [{ issuer: 'people', jwks, roleClaim: 'groups' }],
      'issuer 1 maxTokenMinutes is missing: set the maximum time from iat to exp, from 1 to 1440',
    ],
    [
      'without the roles of an issuer',
      [people, { ...cluster, services: undefined }],
      'issuer 2 has no roles that it may give: add roles, such as ["staff:*"], or services, such as {"service:gateway": ["<subject>"]}',
    ],
    ['with roles and no claim', [{ ...people, roleClaim: undefined }], 'issuer 1 has roles but no roleClaim'],
    ...['', 'realm_access.', '.roles', 'a..roles'].map(
      (roleClaim) =>
        [
          `with the claim "${roleClaim}"`,
          [{ ...people, roleClaim }],
          'issuer 1 roleClaim must be a claim such as "roles" or "realm_access.roles"',
        ] as [string, unknown, string],
    ),
    ['with a wildcard for all roles', [{ ...people, roles: ['*'] }], 'issuer 1 roles.0'],
    [
      'with a service role among the roles for people',
      [{ ...people, roles: ['service:gateway'] }],
      'issuer 1 roles.0',
    ],
    ['with all service roles', [{ ...people, roles: ['service:*'] }], 'issuer 1 roles.0'],
    [
      'with a role for people for a subject',
      [{ ...cluster, services: { 'staff:admin': ['x'] } }],
      'issuer 1 services',
    ],
    [
      'with an empty subject',
      [{ ...cluster, services: { 'service:x': [''] } }],
      'issuer 1 services.service:x.0',
    ],
    ['with tokens that never expire', [{ ...people, maxTokenMinutes: 1_441 }], 'issuer 1 maxTokenMinutes'],
    ['with neither key set', [{ ...people, jwks: undefined }], 'issuer 1 needs jwks or jwksUri'],
    ['with an unknown field', [{ ...people, role: 'x' }], 'issuer 1 has unknown role'],
    ['with one issuer twice', [people, people], 'has an issuer twice'],
    ['without issuers', [], 'is empty'],
    ['that is not JSON', 'issuers', 'must name a readable JSON file'],
  ])('rejects a file %s with a one-line reason', (_what, content, line) => {
    const read = () => issuersOf(content);
    expect(read).toThrow(ConfigError);
    expect(read).toThrow(`bad configuration: SSS_ISSUERS_FILE ${line}`);
    expect(read).toThrow(/^[^\n]*$/);
  });
});
