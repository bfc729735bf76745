import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type * as own from './account.ts';

/** The enums of the contract by the names that the database stores. */
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

/** The stored name of an enum value. Throws for a value without one, which the validation of requests rules out. */
export function nameOf<Name extends string, Value>(
  mapping: Readonly<Record<Name, Value>>,
  value: Value,
): Name {
  for (const name in mapping) {
    if (mapping[name] === value) return name;
  }
  throw new Error(`invariant violated: no stored name for enum value ${value}`);
}
