import { AccountState } from '@supplier/proto/account/v1/account';
import { Scope } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type * as own from '../domain/account.ts';

/** The service's own words for the choices of the contract. */
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

/** The word for `choice`. Requests are checked before they come here: a choice without a word is a mistake of ours. */
export function wordFor<Word extends string, Choice>(
  words: Readonly<Record<Word, Choice>>,
  choice: Choice,
): Word {
  for (const word in words) {
    if (words[word] === choice) return word;
  }
  throw new Error('a choice of the contract has no word here');
}
