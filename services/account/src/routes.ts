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
import { UPDATE_ACCOUNT } from './accounts/approve-update.ts';
import type { Context } from './context.ts';
import { ISSUE_CREDENTIAL } from './credentials/approve-credential.ts';
import {
  issueCredential,
  listCredentials,
  resolveCredential,
  revokeCredential,
} from './credentials/credential-rpcs.ts';
import { CANCEL_SCHEDULED_TERMS, SCHEDULE_TERMS } from './terms/approve-terms.ts';
import { cancelScheduledTerms, listScheduledTerms, scheduleTerms } from './terms/terms-rpcs.ts';

export function routes(context: Context): (router: ConnectRouter) => void {
  return (router) => {
    auditRoutes(context.pool)(router);
    context.approvals.routes(router, [
      ISSUE_CREDENTIAL,
      UPDATE_ACCOUNT,
      SCHEDULE_TERMS,
      CANCEL_SCHEDULED_TERMS,
    ]);
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
