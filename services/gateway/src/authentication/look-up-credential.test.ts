import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { newId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  AccountState,
  type ResolveCredentialResponse,
  ResolveCredentialResponseSchema,
} from '@supplier/proto/account/v1/account';
import { DecisionMode, Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { lookUpCredential } from './credential-cache.ts';

const accountId = newId();
const credentialId = newId();

function answer(state: AccountState, credential: object = {}): ResolveCredentialResponse {
  return create(ResolveCredentialResponseSchema, {
    secretHash: new Uint8Array(32).fill(7),
    credential: {
      credentialId,
      accountId,
      environment: Environment.SANDBOX,
      scopes: [Scope.READ, Scope.PROMOTE, Scope.UNSPECIFIED],
      ...credential,
    },
    account: {
      accountId,
      state,
      permittedScopes: [Scope.CREATE_BASIC, Scope.READ, Scope.UNSPECIFIED],
      terms: { decisionMode: DecisionMode.STAFF },
      limits: { writesPerMinute: 30 },
    },
  });
}

const ask = (respond: () => ResolveCredentialResponse) =>
  lookUpCredential({ resolveCredential: async () => respond() })('0123456789abcdef');

describe('lookUpCredential', () => {
  it('grants the scopes that both account and credential allow, under the account’s terms', async () => {
    expect(await ask(() => answer(AccountState.ACTIVE))).toMatchObject({
      accountId,
      revoked: false,
      expiresAt: undefined,
      secretHash: new Uint8Array(32).fill(7),
      environment: Environment.SANDBOX,
      suspended: false,
      limits: { writesPerMinute: 30, readsPerMinute: undefined },
      principal: {
        accountId,
        credentialId,
        environment: Environment.SANDBOX,
        scopes: [Scope.READ],
        terms: { decisionMode: DecisionMode.STAFF },
      },
    });
  });

  it.each([AccountState.SUSPENDED, AccountState.UNSPECIFIED])(
    'grants nothing in account state %s',
    async (state) => {
      expect((await ask(() => answer(state)))?.principal.scopes).toEqual([]);
    },
  );

  it('marks only credentials of suspended accounts as suspended', async () => {
    expect((await ask(() => answer(AccountState.SUSPENDED)))?.suspended).toBe(true);
    expect((await ask(() => answer(AccountState.UNSPECIFIED)))?.suspended).toBe(false);
  });

  it('sets no terms or limits when the account has none', async () => {
    const { account, ...more } = answer(AccountState.ACTIVE);
    const bare = { ...more, account: { ...account, terms: undefined, limits: undefined } };
    const known = await ask(() => bare as ResolveCredentialResponse);
    expect(known?.principal.terms).toBeUndefined();
    expect(known?.limits).toEqual({ writesPerMinute: undefined, readsPerMinute: undefined });
  });

  it('returns how long the terms hold', async () => {
    const scheduled = { ...answer(AccountState.ACTIVE), termsHoldForMs: 1_500n };
    expect((await ask(() => scheduled))?.termsHoldForMs).toBe(1_500);
    expect((await ask(() => answer(AccountState.ACTIVE)))?.termsHoldForMs).toBeUndefined();
  });

  it('returns the expiry of a credential and whether it was revoked', async () => {
    const expiresAt = new Date('2027-01-01T00:00:00Z');
    const credential = { expiresAt: toTimestamp(expiresAt), revokedAt: toTimestamp(new Date()) };
    expect(await ask(() => answer(AccountState.ACTIVE, credential))).toMatchObject({
      revoked: true,
      expiresAt,
    });
  });

  it.each<[string, Error]>([
    ['refusal', refuse(RefusalCode.NOT_FOUND, 'There is no such credential.')],
    ['status', new ConnectError('none', Code.NotFound)],
  ])('returns undefined for an id that was never issued, by the %s of the response', async (_what, error) => {
    const found = ask(() => {
      throw error;
    });
    expect(await found).toBeUndefined();
  });

  it.each<[string, Error]>([
    ['an unavailable service', new ConnectError('unavailable', Code.Unavailable)],
    ['any other refusal', refuse(RefusalCode.FORBIDDEN, 'No.')],
    ['an unknown method', new ConnectError('bug', Code.Unimplemented)],
    ['a bug', new Error('x')],
  ])('rethrows the error of %s', async (_what, error) => {
    const found = ask(() => {
      throw error;
    });
    await expect(found).rejects.toBe(error);
  });

  it.each<[string, object]>([
    ['an account', { account: undefined }],
    ['a credential', { credential: undefined }],
    ['an account id', { account: { accountId: '' } }],
  ])('throws on a response without %s', async (_what, lacking) => {
    const incomplete = { ...answer(AccountState.ACTIVE), ...lacking } as ResolveCredentialResponse;
    await expect(ask(() => incomplete)).rejects.toThrow('credential or account missing');
  });
});
