import type { AccountId, CredentialId } from '@supplier/lib/text/ids';
import type { Terms } from '@supplier/proto/common/v1/principal';

export type AccountState = 'active' | 'suspended';

export type Environment = 'sandbox' | 'production';

export type Scope = 'create_basic' | 'create_application' | 'read' | 'correct' | 'promote';

/** Settings of an account that staff can change. */
export interface AccountSettings {
  readonly state: AccountState;
  /** Scopes that the account's credentials can have. */
  readonly permittedScopes: readonly Scope[];
  readonly terms: Terms;
  /** Requests per credential in 60 seconds; null applies the gateway's default. */
  readonly writesPerMinute: number | null;
  readonly readsPerMinute: number | null;
}

/** A supplier. `revision` rises by one with every event of the account. */
export interface Account extends AccountSettings {
  readonly id: AccountId;
  readonly name: string;
  readonly revision: bigint;
}

/** An account's key to one environment, without its secret. `revokedAt` never changes once set. */
export interface Credential {
  readonly id: CredentialId;
  readonly accountId: AccountId;
  readonly environment: Environment;
  readonly publicId: string;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
}
