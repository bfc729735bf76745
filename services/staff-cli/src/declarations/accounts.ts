import type { Message } from '@bufbuild/protobuf';
import {
  AccountService,
  AccountState,
  type IssueCredentialResponse,
} from '@supplier/proto/account/v1/account';
import { type Declaration, declare } from './declaration.ts';

const rpc = AccountService.method;

const isIn = (wanted: AccountState, message: Message) =>
  (message as Message & { readonly state: AccountState }).state === wanted;

const TWO =
  'What lets more through takes two people: --ask-approval asks, --approval does what was approved, with the same flags.';

export const accountCommands: readonly Declaration[] = [
  declare('accounts create', rpc.createAccount, {
    summary: 'Opens an account for a supplier.',
    notes: 'Thresholds and caps that are left out do not apply.',
    example:
      '--name "Sample Brokers" --permitted-scopes create:application,read --billing-model accepted_submission --decision-mode automatic --application-minting on_acceptance --pre-underwriting-failure return',
  }),
  declare('accounts list', rpc.listAccounts, {
    columns: ['account_id', 'name', 'state', 'created_at'],
    wide: ['created_at'],
    example: '--name-contains sample --state suspended',
  }),
  declare('accounts show', rpc.getAccount, {
    given: ['account_id'],
    summary: 'An account with its terms, permissions and limits.',
    example: '01998c1e-7d5c-7000-8000-000000000001',
  }),
  declare('accounts update', rpc.updateAccount, {
    given: ['account_id'],
    startsFrom: rpc.getAccount,
    confirmedWhen: (request, present) =>
      isIn(AccountState.SUSPENDED, request) && isIn(AccountState.ACTIVE, present)
        ? 'The supplier is turned away at once, with every credential, until the account is active again.'
        : undefined,
    flags: { approval_id: 'approval' },
    notes: `Reads the account first, changes what the flags state, and leaves the rest as it was read. \`none\` as a value removes a threshold, cap or limit. ${TWO}`,
    example: '01998c1e-7d5c-7000-8000-000000000001 --accepted-per-day 200 --maximum-funding-amount none',
  }),
  declare('terms schedule', rpc.scheduleTerms, {
    given: ['account_id'],
    flags: { approval_id: 'approval' },
    notes: `All thresholds and caps that the account has then: what no flag states does not apply from then on. ${TWO}`,
    example: `01998c1e-7d5c-7000-8000-000000000001 --effective-from +7d --accepted-per-day 50 --purpose "agreed for December"`,
  }),
  declare('terms list', rpc.listScheduledTerms, {
    given: ['account_id'],
    columns: ['scheduled_terms_id', 'effective_from', 'state', 'purpose', 'created_at', 'cancelled_at'],
    wide: ['purpose', 'created_at', 'cancelled_at'],
    example: '01998c1e-7d5c-7000-8000-000000000001',
  }),
  declare('terms cancel', rpc.cancelScheduledTerms, {
    given: ['scheduled_terms_id'],
    flags: { approval_id: 'approval' },
    notes: TWO,
    example: '01998c1e-7d5c-7000-8000-000000000008',
  }),
  declare('credentials issue', rpc.issueCredential, {
    given: ['account_id'],
    flags: { approval_id: 'approval' },
    notes:
      'The answer is the only place where the secret is ever shown. One for production takes two people: --ask-approval asks, --approval uses what was approved. State --expires-at as a time then, and not as a span.',
    answersNo: (answer) =>
      (answer as IssueCredentialResponse).secretAlreadyShown
        ? 'the secret was in an earlier answer and is kept nowhere: if nobody has it, revoke the credential and issue another'
        : undefined,
    example: '01998c1e-7d5c-7000-8000-000000000001 --environment sandbox --scopes create:application,read',
  }),
  declare('credentials list', rpc.listCredentials, {
    given: ['account_id'],
    summary: 'The credentials of an account, without their secrets.',
    columns: [
      'credential_id',
      'environment',
      'public_id',
      'scopes',
      'created_at',
      'expires_at',
      'revoked_at',
    ],
    wide: ['public_id', 'scopes', 'created_at', 'expires_at'],
    example: '01998c1e-7d5c-7000-8000-000000000001',
  }),
  declare('credentials revoke', rpc.revokeCredential, {
    given: ['credential_id'],
    irreversible: 'This ends the credential at once and for good: anyone who still uses it is turned away.',
    example: '01998c1e-7d5c-7000-8000-000000000002',
  }),
];
