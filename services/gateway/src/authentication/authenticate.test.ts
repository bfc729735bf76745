import { generateCredential, hashSecret } from '@supplier/lib/credential';
import { Environment } from '@supplier/proto/common/v1/status';
import { knownCredential } from '../testing/known-credential.ts';
import { authenticate } from './authenticate.ts';
import type { KnownCredential } from './known-credential.ts';

const NOW = new Date('2026-11-20T10:00:00Z');
const issued = generateCredential('sss', 'test');
const hash = hashSecret(issued.secret);

const LIVE = generateCredential('sss', 'live');
const OTHERS_PREFIX = generateCredential('xyz', 'test');

/** Authenticates in the sandbox and records the lookups in their order. */
async function lookupsFor(bearer: string | undefined, found: KnownCredential | undefined, isCached: boolean) {
  const lookups: string[] = [];
  const authentication = await authenticate(bearer, {
    credentialPrefix: 'sss',
    environment: Environment.SANDBOX,
    credentials: {
      find: async (publicId) => {
        lookups.push(isCached ? 'cache' : publicId);
        return found;
      },
      knows: () => isCached,
      dummyLookup: async () => void lookups.push('dummy'),
    },
    clock: { now: () => NOW },
  });
  return { authentication, lookups };
}

const REVOKED = knownCredential({ secretHash: hash, revoked: true });

it.each<[string, string | undefined, KnownCredential | undefined, boolean, string[], object]>([
  ['no credential', undefined, undefined, false, [], { failure: 'absent' }],
  ['a malformed one', 'nonsense', undefined, false, ['dummy'], { failure: 'malformed' }],
  ['one with another prefix', OTHERS_PREFIX.bearer, undefined, false, ['dummy'], { failure: 'malformed' }],
  [
    'one of the other environment',
    LIVE.bearer,
    knownCredential({ secretHash: hashSecret(LIVE.secret) }),
    false,
    ['dummy'],
    { publicId: LIVE.publicId, failure: 'other environment' },
  ],
  ['an unknown one', issued.bearer, undefined, false, [issued.publicId], { failure: 'unknown' }],
  ['a cached unknown one', issued.bearer, undefined, true, ['cache', 'dummy'], { failure: 'unknown' }],
  ['a revoked one', issued.bearer, REVOKED, false, [issued.publicId], { failure: 'revoked' }],
  ['a cached revoked one', issued.bearer, REVOKED, true, ['cache', 'dummy'], { failure: 'revoked' }],
])(
  'refuses %s after one call of the account service',
  async (_what, bearer, found, isCached, lookups, given) => {
    const refused = await lookupsFor(bearer, found, isCached);
    expect(refused.lookups).toEqual(lookups);
    expect(refused.authentication).toMatchObject(given);
    expect(refused.authentication).not.toHaveProperty('credential');
  },
);

it.each([
  ['sandbox', Environment.SANDBOX, issued, LIVE],
  ['production', Environment.PRODUCTION, LIVE, issued],
] as const)(
  'serves in %s only the credentials of that environment',
  async (_name, environment, own, other) => {
    const given = [own, other].map(async ({ bearer, secret }) => {
      const credential = knownCredential({ environment, secretHash: hashSecret(secret) });
      return authenticate(bearer, {
        credentialPrefix: 'sss',
        environment,
        credentials: { find: async () => credential, knows: () => true, dummyLookup: async () => {} },
        clock: { now: () => NOW },
      });
    });
    expect(await Promise.all(given)).toEqual([
      { publicId: own.publicId, credential: expect.anything() },
      { publicId: other.publicId, failure: 'other environment' },
    ]);
  },
);

it('makes no call of the account service for a cached credential that is valid', async () => {
  const valid = knownCredential({ secretHash: hash });
  expect(await lookupsFor(issued.bearer, valid, true)).toEqual({
    authentication: { publicId: issued.publicId, credential: valid },
    lookups: ['cache'],
  });
});

/** Every combination of what can be wrong with a credential, and of whether its account is suspended. */
const combinations = [hash, new Uint8Array(32), new Uint8Array()].flatMap((secretHash) =>
  [Environment.SANDBOX, Environment.PRODUCTION].flatMap((environment) =>
    [false, true].flatMap((revoked) =>
      [undefined, 1, 0, -1].flatMap((expiresInMs) =>
        [false, true].map((suspended) => ({ secretHash, environment, revoked, expiresInMs, suspended })),
      ),
    ),
  ),
);

it.each(combinations)(
  'each fault of a credential is enough to refuse it: %j',
  async ({ expiresInMs, ...facts }) => {
    const { secretHash, environment, revoked, suspended } = facts;
    const expiresAt = expiresInMs === undefined ? undefined : new Date(NOW.getTime() + expiresInMs);
    const credential = knownCredential({ secretHash, environment, revoked, suspended, expiresAt });
    const found = await authenticate(issued.bearer, {
      credentialPrefix: 'sss',
      environment: Environment.SANDBOX,
      credentials: { find: async () => credential, knows: () => true, dummyLookup: async () => {} },
      clock: { now: () => NOW },
    });
    const faults = [
      ...(secretHash === hash ? [] : ['wrong secret']),
      ...(environment === Environment.SANDBOX ? [] : ['other environment']),
      ...(revoked ? ['revoked'] : []),
      ...(expiresInMs !== undefined && expiresInMs <= 0 ? ['expired'] : []),
    ];
    const { publicId } = issued;
    // A suspended account has valid credentials, which permit nothing.
    expect(found).toEqual(faults.length > 0 ? { publicId, failure: faults[0] } : { publicId, credential });
  },
);
