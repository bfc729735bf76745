import type { Account } from '@supplier/proto/account/v1/account';
import type { Environment } from '@supplier/proto/common/v1/status';

/** An account and an environment, which have at most one endpoint. */
export interface EndpointPlace {
  readonly account: Account;
  readonly environment: Environment;
}
