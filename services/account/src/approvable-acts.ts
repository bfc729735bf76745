import { approvableAct } from '@supplier/lib/approvals';
import { AccountService } from '@supplier/proto/account/v1/account';
import { Environment } from '@supplier/proto/common/v1/status';

/** A credential for production lets real enquiries in. */
export const ISSUE_CREDENTIAL = approvableAct(AccountService.method.issueCredential, {
  target: ({ accountId }) => accountId,
  takesTwo: ({ environment }) => environment === Environment.PRODUCTION,
});

/** Every act of this service that two people take part in. */
export const APPROVABLE_ACTS = [ISSUE_CREDENTIAL];
