import { generateCredential, hashSecret } from '@supplier/lib/rpc/credential';
import { Environment } from '@supplier/proto/common/v1/status';
import { knownCredential } from '../testing/sample-credential.ts';
import { authenticate, type ServedEnvironment } from './authenticate.ts';
import type { KnownCredential } from './known-credential.ts';

const NOW = new Date('2026-11-20T10:00:00Z');
const issued = generateCredential('sss', 'test');
const live = generateCredential('sss', 'live');
const hash = hashSecret(issued.secret);

interface Known {
  /** What the cache or the account service returns for the public id. */
  readonly found?: KnownCredential;
  readonly isCached?: boolean;
  readonly environment?: ServedEnvironment;
}

/** Authenticates a bearer and records the calls to the account service in order. */
async function authenticated(
  bearer: string | undefined,
  { found, isCached = false, environment = Environment.SANDBOX }: Known = {},
) {
  const calls: string[] = [];
  const authentication = await authenticate(bearer, {
    credentialPrefix: 'sss',
    environment,
    credentials: {
      find: async (publicId) => {
        if (!isCached) calls.push(publicId);
        return found;
      },
      knows: () => isCached,
      dummyLookup: async () => void calls.push('dummy'),
    },
    clock: { now: () => NOW },
  });
  return { authentication, calls };
}

it('authenticate rejects a request without a credential and makes no call', async () => {
  expect(await authenticated(undefined)).toEqual({ authentication: { failure: 'absent' }, calls: [] });
});

const revoked = knownCredential({ secretHash: hash, revoked: true });
const { publicId } = issued;

it.each<[string, { bearer: string; known?: Known; call: string; refused: object }]>([
  ['malformed', { bearer: 'nonsense', call: 'dummy', refused: { failure: 'malformed' } }],
  [
    'made with another prefix',
    {
      bearer: generateCredential('xyz', 'test').bearer,
      call: 'dummy',
      refused: { failure: 'malformed' },
    },
  ],
  [
    'issued for the other environment',
    {
      bearer: live.bearer,
      known: { found: knownCredential({ secretHash: hashSecret(live.secret) }) },
      call: 'dummy',
      refused: { publicId: live.publicId, failure: 'other environment' },
    },
  ],
  ['unknown', { bearer: issued.bearer, call: publicId, refused: { publicId, failure: 'unknown' } }],
  [
    'unknown, as the cache remembers',
    {
      bearer: issued.bearer,
      known: { isCached: true },
      call: 'dummy',
      refused: { publicId, failure: 'unknown' },
    },
  ],
  [
    'revoked',
    {
      bearer: issued.bearer,
      known: { found: revoked },
      call: publicId,
      refused: { publicId, failure: 'revoked' },
    },
  ],
  [
    'revoked, as the cache remembers',
    {
      bearer: issued.bearer,
      known: { found: revoked, isCached: true },
      call: 'dummy',
      refused: { publicId, failure: 'revoked' },
    },
  ],
])(
  'authenticate makes one call for a credential that is %s',
  async (_what, { bearer, known, call, refused }) => {
    expect(await authenticated(bearer, known)).toEqual({ authentication: refused, calls: [call] });
  },
);

it('authenticate makes no call for a valid cached credential', async () => {
  const valid = knownCredential({ secretHash: hash });
  expect(await authenticated(issued.bearer, { found: valid, isCached: true })).toEqual({
    authentication: { publicId, credential: valid },
    calls: [],
  });
});

it.each([
  ['sandbox', Environment.SANDBOX, issued, live],
  ['production', Environment.PRODUCTION, live, issued],
] as const)(
  'authenticate accepts only credentials of the served environment: %s',
  async (_name, environment, own, other) => {
    const authenticating = ({ bearer, secret }: typeof own) => {
      const found = knownCredential({ environment, secretHash: hashSecret(secret) });
      return authenticated(bearer, { environment, found });
    };
    expect((await authenticating(own)).authentication).toHaveProperty('credential');
    expect((await authenticating(other)).authentication).toEqual({
      publicId: other.publicId,
      failure: 'other environment',
    });
  },
);

/** Every combination of faults of a credential, with an active and a suspended account. */
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
  'authenticate rejects a credential for any single fault: %j',
  async ({ expiresInMs, ...facts }) => {
    const { secretHash, environment, revoked, suspended } = facts;
    const expiresAt = expiresInMs === undefined ? undefined : new Date(NOW.getTime() + expiresInMs);
    const credential = knownCredential({ secretHash, environment, revoked, suspended, expiresAt });
    const { authentication } = await authenticated(issued.bearer, { found: credential, isCached: true });
    const faults = [
      ...(secretHash === hash ? [] : ['wrong secret']),
      ...(environment === Environment.SANDBOX ? [] : ['other environment']),
      ...(revoked ? ['revoked'] : []),
      ...(expiresInMs !== undefined && expiresInMs <= 0 ? ['expired'] : []),
    ];
    // Credentials of a suspended account are valid but permit nothing.
    expect(authentication).toEqual(
      faults.length > 0 ? { publicId, failure: faults[0] } : { publicId, credential },
    );
  },
);
