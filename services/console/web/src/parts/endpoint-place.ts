import type { Account } from '@supplier/proto/account/v1/account';
import type { Environment } from '@supplier/proto/common/v1/status';

/** Where an account has one endpoint, or none. */
export interface EndpointPlace {
  readonly account: Account;
  readonly environment: Environment;
}
