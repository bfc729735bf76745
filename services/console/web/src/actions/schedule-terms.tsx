import { fromJson, type JsonObject, toJson } from '@bufbuild/protobuf';
import { Alert, TextInput } from '@mantine/core';
import { type Account, AccountService } from '@supplier/proto/account/v1/account';
import { type ScheduledTerms, ScheduleTermsRequestSchema } from '@supplier/proto/account/v1/scheduled_terms';
import { TermsSchema } from '@supplier/proto/common/v1/principal';
import { useState } from 'react';
import { accounts } from '../calls.ts';
import { formatTime } from '../format.ts';
import { warningOf } from '../parts/loosened-later.tsx';
import { changed, fits, flagsFor, type StatedSettings, settingsOf, textOf } from '../parts/settings.ts';
import { SettingsFields } from '../parts/settings-fields.tsx';
import { ApprovableAction } from './approvable-action.tsx';
import { quoted } from './confirm-dialog.tsx';
import { DateTimeField, timeIn } from './date-time-field.tsx';
import { useFrozen } from './use-frozen.ts';

/** Settings that can be scheduled. */
export const SCHEDULED_SETTINGS = settingsOf(ScheduleTermsRequestSchema, ['thresholds', 'caps']);
const SHORTEST_PURPOSE = 3;

/** Schedules new thresholds and caps for an account. */
export function ScheduleTermsAction({ account: present }: { readonly account: Account }) {
  const [account, onOpen] = useFrozen(present);
  const [stated, setStated] = useState<StatedSettings>({});
  const [moment, setMoment] = useState('');
  const [purpose, setPurpose] = useState('');
  const from = timeIn(moment);
  const { accountId, terms } = account;
  const json = terms ? (toJson(TermsSchema, terms, { useProtoFieldName: true }) as JsonObject) : {};
  // Send unchanged values as well: any that are omitted would stop applying.
  const all = Object.fromEntries(
    SCHEDULED_SETTINGS.map((one) => [one.path, stated[one.path] ?? textOf(one, json)]),
  );
  return (
    <ApprovableAction
      name="Schedule terms"
      description={`Replaces all thresholds and caps of ${account.name} in both environments from this time on. Empty values do not apply.`}
      environment="both"
      service="account"
      method={AccountService.method.scheduleTerms}
      request={(approvalId) =>
        fromJson(
          ScheduleTermsRequestSchema,
          changed(
            {
              account_id: accountId,
              effective_from: from ?? null,
              purpose: purpose.trim(),
              approval_id: approvalId,
            },
            SCHEDULED_SETTINGS,
            all,
          ),
        )
      }
      call={async (request) => {
        const answer = await accounts.scheduleTerms(request);
        setStated({});
        return answer;
      }}
      command={`sss terms schedule ${accountId} --effective-from ${from ?? ''} ${flagsFor(
        SCHEDULED_SETTINGS,
        Object.fromEntries(Object.entries(all).filter(([, text]) => text !== '')),
      )} --purpose ${quoted(purpose.trim())}`}
      renderResult={warningOf}
      isReady={
        from !== undefined &&
        purpose.trim().length >= SHORTEST_PURPOSE &&
        SCHEDULED_SETTINGS.every((one) => fits(one, all[one.path] ?? ''))
      }
      onOpen={onOpen}
    >
      {present.revision === account.revision ? null : (
        <Alert color="yellow" role="alert">
          The account has changed since you opened this form. Close it and start again.
        </Alert>
      )}
      <DateTimeField id="terms-from" label="From" value={moment} onChange={setMoment} />
      <TextInput
        label="Reason"
        description="For the audit log. No personal data."
        id="terms-why"
        value={purpose}
        maxLength={200}
        onChange={(event) => setPurpose(event.currentTarget.value)}
      />
      <SettingsFields settings={SCHEDULED_SETTINGS} json={json} stated={stated} onChange={setStated} />
    </ApprovableAction>
  );
}

/** Cancels scheduled terms before they take effect. */
export function CancelTermsAction({
  terms: { scheduledTermsId, effectiveFrom },
  onOpen,
}: {
  readonly terms: ScheduledTerms;
  readonly onOpen: (isOpen: boolean) => void;
}) {
  return (
    <ApprovableAction
      name="Cancel"
      description={`Cancels the terms that would begin ${formatTime(effectiveFrom)}. The earlier terms stay in force. This cannot be undone.`}
      environment="both"
      service="account"
      method={AccountService.method.cancelScheduledTerms}
      request={(approvalId) => ({ scheduledTermsId, approvalId })}
      call={(request) => accounts.cancelScheduledTerms(request)}
      command={`sss terms cancel ${scheduledTermsId}`}
      isReady
      onOpen={onOpen}
    />
  );
}
