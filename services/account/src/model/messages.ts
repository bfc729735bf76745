import { create } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  type Account as AccountMessage,
  AccountSchema,
  AccountState,
  type Credential as CredentialMessage,
  CredentialSchema,
} from '@supplier/proto/account/v1/account';
import {
  type ScheduledTerms as ScheduledTermsMessage,
  ScheduledTermsSchema,
  ScheduledTermsState as State,
  type TermsLoosening,
  TermsLooseningSchema,
} from '@supplier/proto/account/v1/scheduled_terms';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type * as own from './account.ts';
import type { Account, Credential } from './account.ts';
import type { Loosening } from './loosened.ts';
import { type ScheduledTerms, type ScheduledTermsState, stateOf } from './scheduled-terms.ts';

/** Contract enums by the names stored in the database. */
export const SCOPES: Readonly<Record<own.Scope, Scope>> = {
  create_basic: Scope.CREATE_BASIC,
  create_application: Scope.CREATE_APPLICATION,
  read: Scope.READ,
  correct: Scope.CORRECT,
  promote: Scope.PROMOTE,
};

export const STATES: Readonly<Record<own.AccountState, AccountState>> = {
  active: AccountState.ACTIVE,
  suspended: AccountState.SUSPENDED,
};

export const ENVIRONMENTS: Readonly<Record<own.Environment, Environment>> = {
  sandbox: Environment.SANDBOX,
  production: Environment.PRODUCTION,
};

/** Returns the stored name of an enum value. Throws for a value without one, which request validation rules out. */
export function nameOf<Name extends string, Value>(
  mapping: Readonly<Record<Name, Value>>,
  value: Value,
): Name {
  for (const name in mapping) {
    if (mapping[name] === value) return name;
  }
  throw new Error(`invariant violated: no stored name for enum value ${value}`);
}

export function accountMessage(account: Account): AccountMessage {
  return create(AccountSchema, {
    accountId: account.id,
    name: account.name,
    state: STATES[account.state],
    permittedScopes: account.permittedScopes.map((scope) => SCOPES[scope]),
    terms: account.terms,
    limits: {
      ...(account.writesPerMinute === null ? {} : { writesPerMinute: account.writesPerMinute }),
      ...(account.readsPerMinute === null ? {} : { readsPerMinute: account.readsPerMinute }),
    },
    revision: account.revision,
  });
}

export function credentialMessage(credential: Credential): CredentialMessage {
  return create(CredentialSchema, {
    credentialId: credential.id,
    accountId: credential.accountId,
    environment: ENVIRONMENTS[credential.environment],
    publicId: credential.publicId,
    scopes: credential.scopes.map((scope) => SCOPES[scope]),
    createdAt: toTimestamp(credential.createdAt),
    ...(credential.expiresAt ? { expiresAt: toTimestamp(credential.expiresAt) } : {}),
    ...(credential.revokedAt ? { revokedAt: toTimestamp(credential.revokedAt) } : {}),
  });
}

const TERMS_STATES: Readonly<Record<ScheduledTermsState, State>> = {
  waiting: State.WAITING,
  effective: State.EFFECTIVE,
  cancelled: State.CANCELLED,
};

export function scheduledTermsMessage(terms: ScheduledTerms, now: Date): ScheduledTermsMessage {
  return create(ScheduledTermsSchema, {
    scheduledTermsId: terms.id,
    accountId: terms.accountId,
    effectiveFrom: toTimestamp(terms.effectiveFrom),
    state: TERMS_STATES[stateOf(terms, now)],
    thresholds: terms.thresholds,
    caps: terms.caps,
    purpose: terms.purpose,
    createdAt: toTimestamp(terms.createdAt),
    ...(terms.cancelledAt && { cancelledAt: toTimestamp(terms.cancelledAt) }),
  });
}

export function loosenedLaterMessage(loosenings: readonly Loosening[]): TermsLoosening[] {
  return loosenings.map(({ from, names }) =>
    create(TermsLooseningSchema, { effectiveFrom: toTimestamp(from), names: [...names] }),
  );
}
