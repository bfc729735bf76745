import type { AccountState as AccountStateChoice, Limits } from '@supplier/proto/account/v1/account';
import type { Scope as ScopeChoice, Terms } from '@supplier/proto/common/v1/principal';
import type { AccountSettings } from './model/account.ts';
import { nameOf, SCOPES, STATES } from './model/enum-mapping.ts';
import { termsViolations } from './model/terms-violations.ts';
import { repeatViolations } from './model/violations.ts';
import { invalid } from './refusals.ts';

/** The fields that CreateAccount and UpdateAccount share. */
interface SettingsMessage {
  readonly state: AccountStateChoice;
  readonly permittedScopes: readonly ScopeChoice[];
  readonly terms?: Terms | undefined;
  readonly limits?: Limits | undefined;
}

/** The settings that a request asks for. Throws VALIDATION_ERROR with all their violations. */
export function requestedSettings(message: SettingsMessage): AccountSettings {
  const { state, permittedScopes, terms, limits } = message;
  if (!terms) throw invalid([{ path: 'terms', message: 'is required' }]);
  const violations = [...repeatViolations('permitted_scopes', permittedScopes), ...termsViolations(terms)];
  if (violations.length > 0) throw invalid(violations);
  return {
    state: nameOf(STATES, state),
    permittedScopes: permittedScopes.map((scope) => nameOf(SCOPES, scope)),
    terms,
    writesPerMinute: limits?.writesPerMinute ?? null,
    readsPerMinute: limits?.readsPerMinute ?? null,
  };
}
