import { create } from '@bufbuild/protobuf';
import { approvableAction, type Evaluate, factLines, spelled } from '@supplier/lib/governance/approvals';
import type { AccountId } from '@supplier/lib/text/ids';
import { formatTimestamp } from '@supplier/lib/text/time';
import {
  AccountService,
  type IssueCredentialRequest,
  type UpdateAccountRequest,
  UpdateAccountRequestSchema,
} from '@supplier/proto/account/v1/account';
import type {
  CancelScheduledTermsRequest,
  ScheduleTermsRequest,
} from '@supplier/proto/account/v1/scheduled_terms';
import { CapsSchema, ThresholdsSchema } from '@supplier/proto/common/v1/principal';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Account } from './model/account.ts';
import { type Loosening, loosenedBy, loosenedSettings } from './model/loosened.ts';
import { accountMessage } from './model/messages.ts';
import { type Scheduled, type ScheduledTerms, timelineOf } from './model/scheduled-terms.ts';
import { credentialViolations } from './model/violations.ts';
import {
  idFrom,
  invalid,
  requestedCredential,
  requestedSettings,
  staleRevision,
  unknownAccount,
} from './requests.ts';
import { findAccount } from './store/account-rows.ts';
import type { Transaction } from './store/database.ts';
import { waitingTerms } from './store/scheduled-terms-rows.ts';
import { type Slot, termsToCancel, termsToSchedule } from './terms/terms-slot.ts';

type Evaluation<Request> = Evaluate<Transaction, Request>;

/**
 * Judges a production credential. It lets real enquiries in under the account's permissions and terms, current and
 * scheduled, so the approver sees those.
 */
const evaluateCredential: Evaluation<IssueCredentialRequest> = async (tx, request, now) => {
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

/**
 * Judges an update of all settings, next to the current ones and the scheduled terms. The revision ties the approval to
 * the suspension that it ends.
 */
const evaluateUpdate: Evaluation<UpdateAccountRequest> = async (tx, request, now) => {
  const settings = requestedSettings(request);
  const account = await findAccount(tx, idFrom<AccountId>('account_id', request.accountId), now);
  if (!account) throw unknownAccount();
  if (account.revision !== request.revision) throw staleRevision(account.revision);
  const { name, $typeName: _, ...present } = accountMessage(account);
  const waiting = await waitingTerms(tx, account.id, now);
  const before = timelineOf(account.terms, waiting, now);
  const later = loosenedBy(before, timelineOf(settings.terms, waiting, now)).filter(({ from }) => from > now);
  return {
    target: account.id,
    reasons: [
      ...loosenedSettings(account, settings),
      ...reasonsOf(later, now, ' unless those terms are cancelled first'),
    ],
    before: spelled(UpdateAccountRequestSchema, create(UpdateAccountRequestSchema, present)),
    further: factLines({ 'account.name': name, ...waitingFacts(waiting) }),
  };
};

/** Judges scheduled thresholds and caps, next to the values that would otherwise apply then. */
const evaluateSchedule: Evaluation<ScheduleTermsRequest> = async (tx, request, now) => {
  const { account, terms, slot, waiting } = await termsToSchedule(tx, request, now);
  const timeline = (scheduled: readonly Scheduled[]) => timelineOf(account.terms, scheduled, now);
  return {
    target: account.id,
    reasons: reasonsOf(loosenedBy(timeline(waiting), timeline([...waiting, terms])), now),
    before: spelledTerms(slot.heldBefore),
    further: factLines(slotFacts(account, slot)),
  };
};

/** Judges the cancellation of thresholds and caps, next to the values that apply instead. */
const evaluateCancel: Evaluation<CancelScheduledTermsRequest> = async (tx, request, now) => {
  const { account, terms, slot, waiting } = await termsToCancel(tx, request, now);
  const timeline = (scheduled: readonly Scheduled[]) => timelineOf(account.terms, scheduled, now);
  const left = waiting.filter(({ id }) => id !== terms.id);
  const [before, after] = [spelledTerms(terms), spelledTerms(slot.heldBefore)];
  return {
    target: terms.id,
    reasons: reasonsOf(loosenedBy(timeline(waiting), timeline(left)), now),
    further: [
      ...Object.keys(before).map((name) => ({ name, before: before[name] ?? '', after: after[name] ?? '' })),
      ...factLines({
        account_id: account.id,
        effective_from: formatTimestamp(terms.effectiveFrom),
        ...slotFacts(account, slot),
      }),
    ],
  };
};

export const ISSUE_CREDENTIAL = approvableAction(AccountService.method.issueCredential, evaluateCredential);
export const UPDATE_ACCOUNT = approvableAction(AccountService.method.updateAccount, evaluateUpdate);
export const SCHEDULE_TERMS = approvableAction(AccountService.method.scheduleTerms, evaluateSchedule);
export const CANCEL_SCHEDULED_TERMS = approvableAction(
  AccountService.method.cancelScheduledTerms,
  evaluateCancel,
);

/** Every action of this service that can require two people. */
export const APPROVABLE_ACTIONS = [ISSUE_CREDENTIAL, UPDATE_ACCOUNT, SCHEDULE_TERMS, CANCEL_SCHEDULED_TERMS];

/** Returns each loosened name, with the time from which it is loosened unless that is now. */
const reasonsOf = (loosenings: readonly Loosening[], now: Date, unless = '') =>
  loosenings.flatMap(({ from, names }) =>
    names.map((name) => (from > now ? `${name} from ${formatTimestamp(from)}${unless}` : name)),
  );

const spelledTerms = ({ thresholds, caps }: Pick<ScheduledTerms, 'thresholds' | 'caps'>) => ({
  ...spelled(ThresholdsSchema, thresholds, 'thresholds.'),
  ...spelled(CapsSchema, caps, 'caps.'),
});

/** Returns the scheduled terms, each labelled with the time it takes effect. */
const waitingFacts = (waiting: readonly ScheduledTerms[]) =>
  Object.fromEntries(
    waiting.flatMap((one) =>
      Object.entries(spelledTerms(one)).map(([name, value]) => [
        `from ${formatTimestamp(one.effectiveFrom)}: ${name}`,
        value,
      ]),
    ),
  );

const slotFacts = ({ name }: Account, { replacedAt }: Slot) => ({
  'account.name': name,
  replaced_at: replacedAt ? formatTimestamp(replacedAt) : '',
});

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
