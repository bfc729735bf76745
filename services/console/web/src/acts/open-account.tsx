import { Callout, Checkbox } from '@blueprintjs/core';
import { fromJson } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { visible } from '@supplier/lib/text/visible';
import {
  type Account,
  AccountService,
  CreateAccountRequestSchema,
  type ListedAccount,
} from '@supplier/proto/account/v1/account';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { accounts, codeOf, mayCall } from '../calls.ts';
import { changed, fits, flagsFor, type StatedSettings, settingsOf } from '../parts/settings.ts';
import { SettingsFields } from '../parts/settings-fields.tsx';
import { useSession } from '../session.ts';
import { timeOf } from '../words.ts';
import { Act } from './act.tsx';

/** All that an account begins with. */
const SETTINGS = settingsOf(
  CreateAccountRequestSchema,
  CreateAccountRequestSchema.fields.map(({ name }) => name),
);
const NAME = 'name';
/** Pages of accounts of about that name that are looked through, of 200 each. */
const MAX_PAGES = 10;
const PAGE = 200;
/** No refusals: the account may be open all the same. */
const UNCLEAR = new Set([Code.Unavailable, Code.DeadlineExceeded, Code.Unknown, Code.Internal]);

/**
 * Opens an account for a supplier, with what is stated and nothing else. The service does not refuse a second account of a
 * name, so accounts of that name are shown first. After an answer that is lost, the same request opens the account once.
 */
export function OpenAccountAct() {
  const { roles } = useSession();
  const [stated, setStated] = useState<StatedSettings>({});
  const [isUnclear, setUnclear] = useState(false);
  const [namesakes, setNamesakes] = useState<readonly ListedAccount[]>([]);
  const [isAnother, setAnother] = useState(false);
  if (!mayCall(roles, AccountService.method.createAccount)) return null;
  const begin = (next: StatedSettings) => {
    setStated(next);
    if (next[NAME] === stated[NAME]) return;
    forget();
  };
  // A dialog that is opened again has another key: accounts of the name are looked for again.
  const forget = () => {
    setUnclear(false);
    setNamesakes([]);
    setAnother(false);
  };
  const open = async (idempotencyKey: string) => {
    // With the same key the same account is opened, or was.
    const found = isAnother || isUnclear ? [] : await accountsNamed(stated[NAME] ?? '');
    setNamesakes((before) => (isAnother ? before : found));
    setUnclear(false);
    if (found.length > 0)
      throw new ConnectError(
        'An account of this name is there already: look at it before you open another one.',
        Code.AlreadyExists,
      );
    try {
      const request = fromJson(CreateAccountRequestSchema, changed({}, SETTINGS, stated));
      const account = await accounts.createAccount({ ...request, idempotencyKey });
      begin({});
      return account;
    } catch (error) {
      if (UNCLEAR.has(codeOf(error))) setUnclear(true);
      throw error;
    }
  };
  return (
    <Act
      name="Open an account"
      says="A supplier has an account at once, in both environments, with what is stated here and nothing else: thresholds, caps and limits that are empty do not apply. Nobody gets in until a credential is issued."
      environment="both"
      command={`sss accounts create ${flagsFor(SETTINGS, stated)}`}
      isReady={
        SETTINGS.every((one) => fits(one, stated[one.path] ?? '')) && (namesakes.length === 0 || isAnother)
      }
      onOpen={forget}
      run={open}
      shows={(account) => <Opened account={account} />}
    >
      <SettingsFields settings={SETTINGS} json={undefined} stated={stated} onChange={begin} />
      {isUnclear ? (
        <Callout intent="warning">
          Whether the account was opened is not known. Press the button again: it is opened once.
        </Callout>
      ) : null}
      {namesakes.length === 0 ? null : (
        <Callout intent="warning">
          <ul aria-label="Accounts of this name">
            {namesakes.map(({ accountId, name, createdAt }) => (
              <li key={accountId}>
                <Link to="/suppliers/$accountId" params={{ accountId }} target="_blank" rel="noreferrer">
                  {visible(name)}
                </Link>
                , opened {timeOf(createdAt)}
              </li>
            ))}
          </ul>
          <Checkbox
            label="Open another one of this name"
            checked={isAnother}
            onChange={(event) => setAnother(event.currentTarget.checked)}
          />
        </Callout>
      )}
    </Act>
  );
}

const Opened = ({ account: { accountId, name } }: { readonly account: Account }) => (
  <>
    <p>
      The account of{' '}
      <Link to="/suppliers/$accountId" params={{ accountId }}>
        {visible(name)}
      </Link>{' '}
      is open.
    </p>
    <p>
      Next, on its screen: issue a credential, and create an endpoint for its webhooks; first for the sandbox.
    </p>
  </>
);

/** Accounts of that very name, in capitals or not. */
async function accountsNamed(name: string): Promise<ListedAccount[]> {
  const wanted = name.trim().toLowerCase();
  const found: ListedAccount[] = [];
  let pageToken = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await accounts.listAccounts({ nameContains: name.trim(), pageSize: PAGE, pageToken });
    found.push(...answer.accounts.filter((one) => one.name.trim().toLowerCase() === wanted));
    pageToken = answer.nextPageToken;
    if (pageToken === '') return found;
  }
  throw new ConnectError(
    `More than ${MAX_PAGES * PAGE} accounts have that in their name, so that it cannot be looked whether one is called so: write more of it.`,
    Code.FailedPrecondition,
  );
}
