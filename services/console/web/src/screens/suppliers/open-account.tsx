import { fromJson } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { Alert, Checkbox } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import {
  AccountService,
  CreateAccountRequestSchema,
  type ListedAccount,
} from '@supplier/proto/account/v1/account';
import {
  ApplicationMinting,
  DecisionMode,
  PreUnderwritingFailure,
  Scope,
} from '@supplier/proto/common/v1/principal';
import { BillingModel } from '@supplier/proto/common/v1/status';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { accounts, codeOf, firstPages, useMay } from '../../calls.ts';
import { formatTime } from '../../format.ts';
import {
  changed,
  type EnteredSettings,
  errorOf,
  flagsFor,
  inOrder,
  settingsOf,
} from '../supplier/settings.ts';
import { SettingsFields } from '../supplier/settings-fields.tsx';

/** All settings of a new account. The dialog has its own idempotency key. */
const SETTINGS = settingsOf(
  CreateAccountRequestSchema,
  CreateAccountRequestSchema.fields.map(({ name }) => name).filter((name) => name !== 'idempotency_key'),
);
const NAME = 'name';
/** What most accounts start with. Everything can be changed later. */
const DEFAULTS: EnteredSettings = {
  permitted_scopes: inOrder([String(Scope.CREATE_APPLICATION), String(Scope.READ)]),
  'terms.billing_model': String(BillingModel.ACCEPTED_SUBMISSION),
  'terms.decision_mode': String(DecisionMode.AUTOMATIC),
  'terms.application_minting': String(ApplicationMinting.ON_ACCEPTANCE),
  'terms.pre_underwriting_failure': String(PreUnderwritingFailure.RETURN),
};
/** Maximum pages of accounts with a similar name that are searched, 200 each. */
const MAX_PAGES = 10;
const PAGE = 200;
/** These codes don't mean rejection: the account may have been opened anyway. */
const UNCLEAR = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Internal]);

/**
 * Opens an account for a supplier, and its setup. The service accepts several accounts with the same
 * name, so existing ones are shown first. If the response is lost, sending the same request again opens only one
 * account.
 */
export function OpenAccountAction() {
  const may = useMay();
  const navigate = useNavigate();
  const [entered, setEntered] = useState(DEFAULTS);
  const [isUnclear, setUnclear] = useState(false);
  const [namesakes, setNamesakes] = useState<readonly ListedAccount[]>([]);
  const [isAnother, setAnother] = useState(false);
  if (!may(AccountService.method.createAccount)) return null;
  const enter = (next: EnteredSettings) => {
    setEntered(next);
    if (next[NAME] === entered[NAME]) return;
    forget();
  };
  // Each opening of the dialog uses a new key, so search for accounts of that name again.
  const forget = () => {
    setUnclear(false);
    setNamesakes([]);
    setAnother(false);
  };
  const open = async (idempotencyKey: string) => {
    // The same key can't open a second account.
    const found = isAnother || isUnclear ? [] : await accountsNamed(entered[NAME] ?? '');
    setNamesakes((before) => (isAnother ? before : found));
    setUnclear(false);
    if (found.length > 0)
      throw new ConnectError(
        'An account with this name exists. Check it before you open another.',
        Code.AlreadyExists,
      );
    try {
      const request = fromJson(CreateAccountRequestSchema, changed({}, SETTINGS, entered));
      const { accountId } = await accounts.createAccount({ ...request, idempotencyKey });
      await navigate({ to: '/suppliers/$accountId', params: { accountId }, search: { tab: 'setup' } });
    } catch (error) {
      if (UNCLEAR.has(codeOf(error))) setUnclear(true);
      throw error;
    }
  };
  return (
    <ConfirmDialog
      name="Open an account"
      isPrimary
      description="Opens an account in both environments. An empty field means no limit. Setup then leads to a credential, an endpoint and a test event."
      environment="both"
      command={`sss accounts create ${flagsFor(SETTINGS, entered)}`}
      unready={
        namesakes.length > 0 && !isAnother
          ? 'Confirm that you want another account with this name.'
          : 'Fill in the required fields, and correct the marked ones.'
      }
      isReady={
        SETTINGS.every((one) => !errorOf(one, entered[one.path] ?? '')) &&
        (namesakes.length === 0 || isAnother)
      }
      onOpen={forget}
      run={open}
      toastOf={() => ({ message: 'Account opened' })}
    >
      <SettingsFields settings={SETTINGS} entered={entered} onChange={enter} />
      {isUnclear ? (
        <Alert color="yellow" role="note">
          No response. Try again: only one account will be opened.
        </Alert>
      ) : null}
      {namesakes.length === 0 ? null : (
        <Alert color="yellow" role="note">
          <ul aria-label="Accounts with this name">
            {namesakes.map(({ accountId, name, createdAt }) => (
              <li key={accountId}>
                <Link to="/suppliers/$accountId" params={{ accountId }} target="_blank" rel="noreferrer">
                  {visible(name)}
                </Link>
                {`, opened ${formatTime(createdAt)}`}
              </li>
            ))}
          </ul>
          <Checkbox
            label="Open another account with this name"
            checked={isAnother}
            onChange={(event) => setAnother(event.currentTarget.checked)}
          />
        </Alert>
      )}
    </ConfirmDialog>
  );
}

/** Returns the accounts with exactly this name, ignoring case. */
async function accountsNamed(name: string): Promise<ListedAccount[]> {
  const wanted = name.trim().toLowerCase();
  const { pages, hasMore } = await firstPages(MAX_PAGES, (pageToken) =>
    accounts.listAccounts({ nameContains: name.trim(), pageSize: PAGE, pageToken }),
  );
  if (hasMore)
    throw new ConnectError(
      `More than ${MAX_PAGES * PAGE} accounts match this name. Enter more of it.`,
      Code.FailedPrecondition,
    );
  return pages.flatMap((page) => page.accounts.filter((one) => one.name.trim().toLowerCase() === wanted));
}
