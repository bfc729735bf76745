import { generateCredential, hashSecret } from '@supplier/lib/credential';
import { Environment } from '@supplier/proto/common/v1/status';
import { knownCredential } from '../testing/known-credential.ts';
import { authenticate } from './authenticate.ts';

const NOW = new Date('2026-11-20T10:00:00Z');
const issued = generateCredential('sss', 'test');
const hash = hashSecret(issued.secret);

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
