import { type JsonObject, toJson } from '@bufbuild/protobuf';
import { type Account, AccountService } from '@supplier/proto/account/v1/account';
import {
  type ScheduledTerms,
  ScheduledTermsSchema,
  ScheduledTermsState,
  ScheduledTermsStateSchema,
} from '@supplier/proto/account/v1/scheduled_terms';
import { useQuery } from '@tanstack/react-query';
import { useBegun } from '../acts/begun.ts';
import { CancelTermsAct, SCHEDULED_SETTINGS, ScheduleTermsAct } from '../acts/schedule-terms.tsx';
import { accounts, mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { timeOf, wordOf } from '../words.ts';
import { warningOf } from './loosened-later.tsx';
import { Part } from './part.tsx';
import { textOf, wordsOf } from './settings.ts';

/** At most twenty are scheduled. The rest is history. */
const LATEST = 50;

/** Scheduled and past changes of a supplier's thresholds and caps. */
export function ScheduledTermsPart({ account }: { readonly account: Account }) {
  const { accountId } = account;
  const { roles } = useSession();
  const query = useQuery({
    queryKey: ['scheduled-terms', accountId],
    queryFn: ({ signal }) => accounts.listScheduledTerms({ accountId, pageSize: LATEST }, { signal }),
  });
  return (
    <Part title="When terms change" query={query}>
      {({ scheduledTerms, nextPageToken }) => (
        <>
          {warningOf(account)}
          {scheduledTerms.length === 0 ? <p>Nothing is scheduled.</p> : null}
          <ul>
            {scheduledTerms.map((terms) => (
              <Entry key={terms.scheduledTermsId} terms={terms} />
            ))}
          </ul>
          {nextPageToken === '' ? null : <p>These are the latest {LATEST}.</p>}
          {mayCall(roles, AccountService.method.scheduleTerms) ? (
            <fieldset className="acts">
              <legend>What you can do</legend>
              <ScheduleTermsAct account={account} />
            </fieldset>
          ) : null}
        </>
      )}
    </Part>
  );
}

function Entry({ terms: present }: { readonly terms: ScheduledTerms }) {
  const { roles } = useSession();
  const [terms, onOpen] = useBegun(present);
  const json = toJson(ScheduledTermsSchema, present, { useProtoFieldName: true }) as JsonObject;
  const set = SCHEDULED_SETTINGS.flatMap((setting) => {
    const text = textOf(setting, json);
    return text === '' ? [] : [`${setting.name} ${wordsOf(setting, text)}`];
  });
  const canCancel =
    terms.state === ScheduledTermsState.WAITING && mayCall(roles, AccountService.method.cancelScheduledTerms);
  return (
    <li>
      from {timeOf(present.effectiveFrom)}:{' '}
      <strong>{wordOf(ScheduledTermsStateSchema, present.state)}</strong>
      {present.cancelledAt ? ` ${timeOf(present.cancelledAt)}` : ''}.{' '}
      {set.join(', ') || 'no threshold and no cap'}. {present.purpose}{' '}
      {canCancel ? <CancelTermsAct terms={terms} onOpen={onOpen} /> : null}
    </li>
  );
}
