import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { AccountService } from '@supplier/proto/account/v1/account';
import type { Context } from '../context.ts';
import { cancelScheduledTerms } from './cancel-scheduled-terms.ts';
import { checkAccount } from './check-account.ts';
import { createAccount } from './create-account.ts';
import { getAccount } from './get-account.ts';
import { issueCredential } from './issue-credential.ts';
import { listAccounts } from './list-accounts.ts';
import { listCredentials } from './list-credentials.ts';
import { listScheduledTerms } from './list-scheduled-terms.ts';
import { resolveCredential } from './resolve-credential.ts';
import { revokeCredential } from './revoke-credential.ts';
import { scheduleTerms } from './schedule-terms.ts';
import { updateAccount } from './update-account.ts';

/** The RPCs of the account service. */
export function routes(context: Context): (router: ConnectRouter) => void {
  return (router) => {
    auditRoutes(context.pool)(router);
    context.approvals.routes(router);
    router.service(AccountService, {
      resolveCredential: resolveCredential(context),
      checkAccount: checkAccount(context),
      createAccount: createAccount(context),
      getAccount: getAccount(context),
      updateAccount: updateAccount(context),
      scheduleTerms: scheduleTerms(context),
      listScheduledTerms: listScheduledTerms(context),
      cancelScheduledTerms: cancelScheduledTerms(context),
      issueCredential: issueCredential(context),
      listAccounts: listAccounts(context),
      listCredentials: listCredentials(context),
      revokeCredential: revokeCredential(context),
    });
  };
}
