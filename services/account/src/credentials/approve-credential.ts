import { create } from '@bufbuild/protobuf';
import { approvableAction, type Evaluate, factLines, spelled } from '@supplier/lib/governance/approvals';
import {
  AccountService,
  type IssueCredentialRequest,
  UpdateAccountRequestSchema,
} from '@supplier/proto/account/v1/account';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Account } from '../model/account.ts';
import { accountMessage } from '../model/messages.ts';
import { credentialViolations } from '../model/violations.ts';
import { invalid, requestedCredential, unknownAccount } from '../requests.ts';
import { findAccount } from '../store/account-rows.ts';
import type { Transaction } from '../store/database.ts';
import { waitingTerms } from '../store/scheduled-terms-rows.ts';
import { waitingFacts } from '../terms/index.ts';

/**
 * Judges a production credential. It lets real enquiries in under the account's permissions and terms, current and
 * scheduled, so the approver sees those.
 */
const evaluateCredential: Evaluate<Transaction, IssueCredentialRequest> = async (tx, request, now) => {
  const requested = requestedCredential(request);
  const account = await findAccount(tx, requested.accountId, now);
  if (!account) throw unknownAccount();
  const violations = credentialViolations(requested, account.permittedScopes, now);
  if (violations.length > 0) throw invalid(violations);
  return {
    target: account.id,
    reasons: request.environment === Environment.PRODUCTION ? ['a credential for production'] : [],
    further: factLines({
      ...accountFacts(account),
      ...waitingFacts(await waitingTerms(tx, account.id, now)),
    }),
  };
};

export const ISSUE_CREDENTIAL = approvableAction(AccountService.method.issueCredential, evaluateCredential);

/** Returns the name and settings of an account, without its revision. */
const accountFacts = (account: Account) => {
  const { name, accountId: _, revision: __, $typeName: ___, ...settings } = accountMessage(account);
  const { account_id, revision, approval_id, ...facts } = spelled(
    UpdateAccountRequestSchema,
    create(UpdateAccountRequestSchema, settings),
  );
  return Object.fromEntries(
    Object.entries({ name, ...facts }).map(([field, value]) => [`account.${field}`, value]),
  );
};
