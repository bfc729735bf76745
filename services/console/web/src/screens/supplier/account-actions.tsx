import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { Alert, Button } from '@mantine/core';
import {
  type Account,
  AccountSchema,
  AccountService,
  AccountState,
  AccountStateSchema,
  UpdateAccountRequestSchema,
} from '@supplier/proto/account/v1/account';
import { type ScheduledTerms, ScheduleTermsRequestSchema } from '@supplier/proto/account/v1/scheduled_terms';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { useState } from 'react';
import { ApprovableAction } from '../../actions/approvable-action.tsx';
import { useFrozen } from '../../actions/use-frozen.ts';
import { DateTimeField, ReasonField } from '../../components/fields.tsx';
import { isPurpose } from '../../components/purpose-field.tsx';
import { timeIn } from '../../dates.ts';
import { enumName, formatTime, quoted, withNoun } from '../../format.ts';
import { useCredentials } from './credentials.tsx';
import {
  ACCOUNT_SETTINGS,
  changed,
  differencesOf,
  type EnteredSettings,
  errorOf,
  flagsFor,
  jsonOf,
  SCHEDULED_SETTINGS,
  textOf,
} from './settings.ts';
import { Differences, SettingsFields, warningOf } from './settings-fields.tsx';

/** Builds a request that keeps the account as read, except for changes in the JSON. */
const updateOf = (json: JsonObject, approvalId: string) =>
  fromJson(UpdateAccountRequestSchema, { ...json, approval_id: approvalId }, { ignoreUnknownFields: true });

interface AccountProps {
  readonly account: Account;
}

/** Changes terms, permitted scopes and limits together: only the settings entered, applied to the account as read. */
export function ChangeTermsAction({ account: present }: AccountProps) {
  const [opened, setOpened] = useState<Account>();
  const [entered, setEntered] = useState<EnteredSettings>({});
  const account = opened ?? present;
  const json = jsonOf(AccountSchema, account);
  const isChanged = Object.keys(entered).length > 0;
  return (
    <ApprovableAction
      name="Change terms"
      description={`Changes ${account.name} immediately in both environments. The changes last until scheduled terms begin.`}
      method={AccountService.method.updateAccount}
      request={(approvalId) => updateOf(changed(json, ACCOUNT_SETTINGS, entered), approvalId)}
      onDone={() => setEntered({})}
      command={`sss accounts update ${account.accountId} ${flagsFor(ACCOUNT_SETTINGS, entered)}`}
      toastOf={() => ({ message: 'Terms changed' })}
      renderResult={warningOf}
      unready={isChanged ? 'Correct the marked fields.' : 'Change at least one setting.'}
      isReady={
        isChanged && ACCOUNT_SETTINGS.every((one) => !errorOf(one, entered[one.path] ?? textOf(one, json)))
      }
      onOpen={(isOpen) => setOpened(isOpen ? account : undefined)}
    >
      {present.revision === account.revision ? null : (
        <Alert color="yellow" role="alert" mb="sm">
          <p>The account has changed since you opened this form. Your entries are kept.</p>
          <Button onClick={() => setOpened(present)}>Continue with the current version</Button>
        </Alert>
      )}
      <SettingsFields settings={ACCOUNT_SETTINGS} json={json} entered={entered} onChange={setEntered} />
      {isChanged ? (
        <Differences
          differences={differencesOf(
            ACCOUNT_SETTINGS,
            (one) => textOf(one, json),
            (one) => entered[one.path] ?? textOf(one, json),
          )}
        />
      ) : null}
    </ApprovableAction>
  );
}

/** Suspends a supplier's account, or activates it again. */
export function AccountStateAction({ account: present }: AccountProps) {
  const [account, onOpen] = useFrozen(present);
  const { query, active } = useCredentials(account.accountId);
  const credentials = query.data ? withNoun(active.length, 'active credential') : 'all active credentials';
  const isActive = account.state === AccountState.ACTIVE;
  const state = isActive ? AccountState.SUSPENDED : AccountState.ACTIVE;
  return (
    <ApprovableAction
      name={isActive ? 'Suspend' : 'Activate'}
      description={
        isActive
          ? `Rejects all API calls from ${account.name} (${credentials}) until you activate the account again. Submissions already received are still processed.`
          : `Accepts API calls from ${account.name} again (${credentials}).`
      }
      method={AccountService.method.updateAccount}
      request={(approvalId) => updateOf({ ...jsonOf(AccountSchema, account), state }, approvalId)}
      command={`sss accounts update ${account.accountId} --state ${enumName(AccountStateSchema, state)}`}
      isConfirmed={isActive}
      isDestructive={isActive}
      toastOf={() => ({ message: isActive ? 'Account suspended' : 'Account activated' })}
      onOpen={onOpen}
    />
  );
}

/** Schedules new thresholds and caps for an account. */
export function ScheduleTermsAction({ account: present }: AccountProps) {
  const [account, onOpen] = useFrozen(present);
  const [entered, setEntered] = useState<EnteredSettings>({});
  const [time, setTime] = useState('');
  const [purpose, setPurpose] = useState('');
  const from = timeIn(time);
  const { accountId, terms } = account;
  const json = terms ? jsonOf(TermsSchema, terms) : {};
  // Send unchanged values as well: any that are omitted would stop applying.
  const all = Object.fromEntries(
    SCHEDULED_SETTINGS.map((one) => [one.path, entered[one.path] ?? textOf(one, json)]),
  );
  const set = Object.fromEntries(Object.entries(all).filter(([, text]) => text !== ''));
  return (
    <ApprovableAction
      name="Schedule terms"
      description={`Replaces all thresholds and caps of ${account.name} in both environments from this time on. An empty field means no limit.`}
      method={AccountService.method.scheduleTerms}
      request={(approvalId) => {
        const request = {
          account_id: accountId,
          effective_from: from ?? null,
          purpose: purpose.trim(),
          approval_id: approvalId,
        };
        return fromJson(ScheduleTermsRequestSchema, changed(request, SCHEDULED_SETTINGS, all));
      }}
      onDone={() => setEntered({})}
      toastOf={() => ({ message: 'Terms scheduled' })}
      command={`sss terms schedule ${accountId} --effective-from ${from ?? ''} ${flagsFor(SCHEDULED_SETTINGS, set)} --purpose ${quoted(purpose.trim())}`}
      renderResult={warningOf}
      isReady={
        from !== undefined &&
        isPurpose(purpose) &&
        SCHEDULED_SETTINGS.every((one) => !errorOf(one, all[one.path] ?? ''))
      }
      onOpen={onOpen}
    >
      {present.revision === account.revision ? null : (
        <Alert color="yellow" role="alert" mb="sm">
          The account has changed since you opened this form. Close it and start again.
        </Alert>
      )}
      <DateTimeField path="effective_from" label="From" value={time} onChange={setTime} isRequired />
      <ReasonField
        path="purpose"
        description="Recorded in the audit log. Enter a case number, not personal details."
        value={purpose}
        onChange={setPurpose}
      />
      <SettingsFields settings={SCHEDULED_SETTINGS} json={json} entered={entered} onChange={setEntered} />
      <Differences
        differences={differencesOf(
          SCHEDULED_SETTINGS,
          (one) => textOf(one, json),
          (one) => all[one.path] ?? '',
        )}
      />
    </ApprovableAction>
  );
}

/** Cancels scheduled terms before they take effect. */
export const CancelTermsAction = ({
  terms: { scheduledTermsId, effectiveFrom },
  onOpen,
}: {
  readonly terms: ScheduledTerms;
  readonly onOpen: (isOpen: boolean) => void;
}) => (
  <ApprovableAction
    name="Cancel scheduled terms"
    description={`Cancels the terms that would begin ${formatTime(effectiveFrom)}. The earlier terms stay in force. This cannot be undone.`}
    method={AccountService.method.cancelScheduledTerms}
    request={(approvalId) => ({ scheduledTermsId, approvalId })}
    command={`sss terms cancel ${scheduledTermsId}`}
    toastOf={() => ({ message: 'Scheduled terms cancelled' })}
    isDestructive
    onOpen={onOpen}
  />
);
