import { fromJson, type JsonObject, toJson } from '@bufbuild/protobuf';
import { Alert, Button } from '@mantine/core';
import {
  type Account,
  AccountSchema,
  AccountService,
  AccountState,
  AccountStateSchema,
  UpdateAccountRequestSchema,
} from '@supplier/proto/account/v1/account';
import { useState } from 'react';
import { accounts } from '../calls.ts';
import { enumName } from '../format.ts';
import { warningOf } from '../parts/loosened-later.tsx';
import { changed, fits, flagsFor, type StatedSettings, settingsOf, textOf } from '../parts/settings.ts';
import { SettingsFields } from '../parts/settings-fields.tsx';
import { ApprovableAction } from './approvable-action.tsx';
import { useFrozen } from './use-frozen.ts';

/** All settings of an account except its state. */
export const ACCOUNT_SETTINGS = settingsOf(UpdateAccountRequestSchema, [
  'permitted_scopes',
  'terms',
  'limits',
]);

/** Returns the account as JSON with the contract's field names, from which requests are built. */
export const accountJson = (account: Account): JsonObject =>
  toJson(AccountSchema, account, { useProtoFieldName: true }) as JsonObject;

/** Builds a request that keeps the account as read, except for changes in the JSON. */
const updateOf = (json: JsonObject, approvalId: string) =>
  fromJson(UpdateAccountRequestSchema, { ...json, approval_id: approvalId }, { ignoreUnknownFields: true });

/** Changes terms, permitted scopes and limits together: only the settings entered, applied to the account as read. */
export function ChangeAccountAction({ account: present }: { readonly account: Account }) {
  const [begun, setBegun] = useState<Account>();
  const [stated, setStated] = useState<StatedSettings>({});
  const account = begun ?? present;
  const json = accountJson(account);
  const isStated = Object.keys(stated).length > 0;
  return (
    <ApprovableAction
      name="Change"
      description={`Changes ${account.name} immediately in both environments, until scheduled terms begin.`}
      environment="both"
      service="account"
      method={AccountService.method.updateAccount}
      request={(approvalId) => updateOf(changed(json, ACCOUNT_SETTINGS, stated), approvalId)}
      call={async (request) => {
        const answer = await accounts.updateAccount(request);
        setStated({});
        return answer;
      }}
      command={`sss accounts update ${account.accountId} ${flagsFor(ACCOUNT_SETTINGS, stated)}`}
      renderResult={warningOf}
      isReady={isStated && ACCOUNT_SETTINGS.every((one) => fits(one, stated[one.path] ?? textOf(one, json)))}
      onOpen={(isOpen) => setBegun(isOpen ? account : undefined)}
    >
      {present.revision === account.revision ? null : (
        <Alert color="yellow" role="alert">
          <p>The account has changed since you opened this form. Your entries are kept.</p>
          <Button onClick={() => setBegun(present)}>Continue with the current version</Button>
        </Alert>
      )}
      <SettingsFields settings={ACCOUNT_SETTINGS} json={json} stated={stated} onChange={setStated} />
    </ApprovableAction>
  );
}

/** Suspends a supplier's account, or activates it again. */
export function AccountStateAction({ account: present }: { readonly account: Account }) {
  const [account, onOpen] = useFrozen(present);
  const isActive = account.state === AccountState.ACTIVE;
  const state = isActive ? AccountState.SUSPENDED : AccountState.ACTIVE;
  return (
    <ApprovableAction
      name={isActive ? 'Suspend' : 'Activate'}
      description={
        isActive
          ? `All calls of ${account.name} are refused immediately until the account is active again. Submissions already received are still processed.`
          : `${account.name} is let in again, with every credential that is neither revoked nor over.`
      }
      environment="both"
      service="account"
      method={AccountService.method.updateAccount}
      request={(approvalId) => updateOf({ ...accountJson(account), state }, approvalId)}
      call={(request) => accounts.updateAccount(request)}
      command={`sss accounts update ${account.accountId} --state ${enumName(AccountStateSchema, state)}`}
      isConfirmed={isActive}
      isReady
      onOpen={onOpen}
    />
  );
}
