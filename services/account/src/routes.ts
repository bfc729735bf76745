import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { AccountService } from '@supplier/proto/account/v1/account';
import { checkAccount } from './accounts/check-account.ts';
import { createAccount } from './accounts/create-account.ts';
import { getAccount } from './accounts/get-account.ts';
import { listAccounts } from './accounts/list-accounts.ts';
import { updateAccount } from './accounts/update-account.ts';
import type { Context } from './context.ts';
import { issueCredential } from './credentials/issue-credential.ts';
import { listCredentials } from './credentials/list-credentials.ts';
import { resolveCredential } from './credentials/resolve-credential.ts';
import { revokeCredential } from './credentials/revoke-credential.ts';
import { cancelScheduledTerms } from './terms/cancel-scheduled-terms.ts';
import { listScheduledTerms } from './terms/list-scheduled-terms.ts';
import { scheduleTerms } from './terms/schedule-terms.ts';

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
