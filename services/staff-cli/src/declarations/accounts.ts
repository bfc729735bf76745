import type { Message } from '@bufbuild/protobuf';
import {
  AccountService,
  AccountState,
  type IssueCredentialResponse,
} from '@supplier/proto/account/v1/account';
import { type Declaration, declare } from './declaration.ts';

const rpc = AccountService.method;

const isIn = (expected: AccountState, message: Message) =>
  (message as Message & { readonly state: AccountState }).state === expected;

const APPROVAL_NOTE =
  "Loosening requires a second person's approval: request it with --ask-approval, then repeat the command with --approval and the same flags.";

export const accountCommands: readonly Declaration[] = [
  declare('accounts create', rpc.createAccount, {
    summary: 'Create an account for a supplier',
    notes: 'Thresholds and caps that you leave out do not apply.',
    example:
      '--name "Sample Brokers" --permitted-scopes create:application,read --billing-model accepted_submission --decision-mode automatic --application-minting on_acceptance --pre-underwriting-failure return',
  }),
  declare('accounts list', rpc.listAccounts, {
    summary: 'List accounts',
    columns: ['account_id', 'name', 'state', 'created_at'],
    wide: ['created_at'],
    example: '--name-contains sample --state suspended',
  }),
  declare('accounts show', rpc.getAccount, {
    summary: 'Show an account with its terms, permissions and limits',
    positional: ['account_id'],
    example: '01998c1e-7d5c-7000-8000-000000000001',
  }),
  declare('accounts update', rpc.updateAccount, {
    summary: 'Update terms, permissions, limits or state',
    positional: ['account_id'],
    startsFrom: rpc.getAccount,
    confirmationFor: (request, present) =>
      isIn(AccountState.SUSPENDED, request) && isIn(AccountState.ACTIVE, present)
        ? "All of the supplier's credentials stop working immediately, until the account is active again."
        : undefined,
    flags: { approval_id: 'approval' },
    notes: `Changes only what you give. \`none\` removes a threshold, cap or limit. ${APPROVAL_NOTE}`,
    example: '01998c1e-7d5c-7000-8000-000000000001 --accepted-per-day 200 --maximum-funding-amount none',
  }),
  declare('terms schedule', rpc.scheduleTerms, {
    summary: 'Schedule thresholds and caps',
    positional: ['account_id'],
    flags: { approval_id: 'approval' },
    notes: `Replaces all thresholds and caps at that time: those that you leave out no longer apply. ${APPROVAL_NOTE}`,
    example: `01998c1e-7d5c-7000-8000-000000000001 --effective-from +7d --accepted-per-day 50 --purpose "agreed for December"`,
  }),
  declare('terms list', rpc.listScheduledTerms, {
    summary: 'List scheduled terms',
    positional: ['account_id'],
    columns: ['scheduled_terms_id', 'effective_from', 'state', 'purpose', 'created_at', 'cancelled_at'],
    wide: ['purpose', 'created_at', 'cancelled_at'],
    example: '01998c1e-7d5c-7000-8000-000000000001',
  }),
  declare('terms cancel', rpc.cancelScheduledTerms, {
    summary: 'Cancel scheduled terms',
    positional: ['scheduled_terms_id'],
    flags: { approval_id: 'approval' },
    notes: APPROVAL_NOTE,
    example: '01998c1e-7d5c-7000-8000-000000000008',
  }),
  declare('credentials issue', rpc.issueCredential, {
    summary: 'Issue a credential',
    positional: ['account_id'],
    flags: { approval_id: 'approval' },
    notes:
      "The secret is shown only once. A credential for production requires a second person's approval: request it with --ask-approval, then repeat the command with --approval. Give --expires-at as a time, such as 2027-03-31, because a span would differ by then.",
    negativeResult: (answer) =>
      (answer as IssueCredentialResponse).secretAlreadyShown
        ? 'the secret was shown before and is not stored: if you do not have it, revoke the credential and issue another'
        : undefined,
    example: '01998c1e-7d5c-7000-8000-000000000001 --environment sandbox --scopes create:application,read',
  }),
  declare('credentials list', rpc.listCredentials, {
    summary: 'List credentials, without their secrets',
    positional: ['account_id'],
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
    summary: 'Revoke a credential',
    positional: ['credential_id'],
    irreversible: 'The credential stops working immediately and permanently.',
    example: '01998c1e-7d5c-7000-8000-000000000002',
  }),
];
