import type { ConnectRouter } from '@connectrpc/connect';
import { auditRoutes } from '@supplier/lib/governance/audit';
import { AccountService } from '@supplier/proto/account/v1/account';
import {
  checkAccount,
  createAccount,
  getAccount,
  listAccounts,
  updateAccount,
} from './accounts/account-rpcs.ts';
import type { Context } from './context.ts';
import {
  issueCredential,
  listCredentials,
  resolveCredential,
  revokeCredential,
} from './credentials/credential-rpcs.ts';
import { cancelScheduledTerms, listScheduledTerms, scheduleTerms } from './terms/terms-rpcs.ts';

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
