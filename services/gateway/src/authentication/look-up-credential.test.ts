import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { newId } from '@supplier/lib/ids';
import { RefusalCode, refuse } from '@supplier/lib/refusal';
import { toTimestamp } from '@supplier/lib/time';
import {
  AccountState,
  type ResolveCredentialResponse,
  ResolveCredentialResponseSchema,
} from '@supplier/proto/account/v1/account';
import { DecisionMode, Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import { lookUpCredential } from './look-up-credential.ts';

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
    },
  });
}

const ask = (respond: () => ResolveCredentialResponse) =>
  lookUpCredential({ resolveCredential: async () => respond() })('0123456789abcdef');

describe('lookUpCredential', () => {
  it('grants what account and credential both allow, under the account’s terms', async () => {
    expect(await ask(() => answer(AccountState.ACTIVE))).toMatchObject({
      accountId,
      revoked: false,
      expiresAt: undefined,
      secretHash: new Uint8Array(32).fill(7),
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

  it('knows for how long the terms hold', async () => {
    const scheduled = { ...answer(AccountState.ACTIVE), termsHoldForMs: 1_500n };
    expect((await ask(() => scheduled))?.termsHoldForMs).toBe(1_500);
    expect((await ask(() => answer(AccountState.ACTIVE)))?.termsHoldForMs).toBeUndefined();
  });

  it('knows when a credential ends and whether it was revoked', async () => {
    const expiresAt = new Date('2027-01-01T00:00:00Z');
    const credential = { expiresAt: toTimestamp(expiresAt), revokedAt: toTimestamp(new Date()) };
    expect(await ask(() => answer(AccountState.ACTIVE, credential))).toMatchObject({
      revoked: true,
      expiresAt,
    });
  });

  it.each([
    refuse(RefusalCode.NOT_FOUND, 'There is no such credential.'),
    new ConnectError('none', Code.NotFound),
  ])('knows that an id was never issued by %s', async (error) => {
    const found = ask(() => {
      throw error;
    });
    expect(await found).toBeUndefined();
  });

  it.each([
    new ConnectError('unavailable', Code.Unavailable),
    new ConnectError('bug', Code.Unimplemented),
    new Error('x'),
  ])('passes on %s', async (error) => {
    const found = ask(() => {
      throw error;
    });
    await expect(found).rejects.toBe(error);
  });

  it('fails on an answer without an account', async () => {
    await expect(ask(() => create(ResolveCredentialResponseSchema, {}))).rejects.toThrow();
  });
});
