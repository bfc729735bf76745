import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { type Account, AccountService } from '@supplier/proto/account/v1/account';
import {
  type ScheduledTerms,
  ScheduledTermsSchema,
  ScheduledTermsState,
  ScheduledTermsStateSchema,
} from '@supplier/proto/account/v1/scheduled_terms';
import { useQuery } from '@tanstack/react-query';
import { CancelTermsAction, SCHEDULED_SETTINGS, ScheduleTermsAction } from '../actions/schedule-terms.tsx';
import { useFrozen } from '../actions/use-frozen.ts';
import { accounts, mayCall } from '../calls.ts';
import { Panel } from '../components/panel.tsx';
import { enumName, formatTime } from '../format.ts';
import { useSession } from '../session.ts';
import { warningOf } from './loosened-later.tsx';
import { textOf, wordsOf } from './settings.ts';

/** At most twenty are scheduled. The rest is history. */
const LATEST = 50;

/** Scheduled and past changes of a supplier's thresholds and caps. */
export function ScheduledTermsPanel({ account }: { readonly account: Account }) {
  const { accountId } = account;
  const { roles } = useSession();
  const query = useQuery({
    queryKey: ['scheduled-terms', accountId],
    queryFn: ({ signal }) => accounts.listScheduledTerms({ accountId, pageSize: LATEST }, { signal }),
  });
  return (
    <Panel title="Scheduled terms" query={query}>
      {({ scheduledTerms, nextPageToken }) => (
        <>
          {warningOf(account)}
          {scheduledTerms.length === 0 ? <p>No scheduled terms.</p> : null}
          <ul>
            {scheduledTerms.map((terms) => (
              <Entry key={terms.scheduledTermsId} terms={terms} />
            ))}
          </ul>
          {nextPageToken === '' ? null : <p>Only the latest {LATEST} are shown.</p>}
          {mayCall(roles, AccountService.method.scheduleTerms) ? (
            <fieldset className="actions">
              <legend>Actions</legend>
              <ScheduleTermsAction account={account} />
            </fieldset>
          ) : null}
        </>
      )}
    </Panel>
  );
}

function Entry({ terms: present }: { readonly terms: ScheduledTerms }) {
  const { roles } = useSession();
  const [terms, onOpen] = useFrozen(present);
  const json = toJson(ScheduledTermsSchema, present, { useProtoFieldName: true }) as JsonObject;
  const set = SCHEDULED_SETTINGS.flatMap((setting) => {
    const text = textOf(setting, json);
    return text === '' ? [] : [`${setting.name} ${wordsOf(setting, text)}`];
  });
  const canCancel =
    terms.state === ScheduledTermsState.WAITING && mayCall(roles, AccountService.method.cancelScheduledTerms);
  return (
    <li>
      from {formatTime(present.effectiveFrom)}:{' '}
      <strong>{enumName(ScheduledTermsStateSchema, present.state)}</strong>
      {present.cancelledAt ? ` ${formatTime(present.cancelledAt)}` : ''}.{' '}
      {set.join(', ') || 'no threshold and no cap'}. {present.purpose}{' '}
      {canCancel ? <CancelTermsAction terms={terms} onOpen={onOpen} /> : null}
    </li>
  );
}
