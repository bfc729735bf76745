import {
  BillingStatusSchema,
  NotBillableReasonSchema,
  ReturnReasonCategorySchema,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import { JourneyLinkKindSchema } from '@supplier/proto/submission/v1/journey_links';
import {
  type DecidedEntry,
  LinkMomentSchema,
  MatchKey,
  MatchKeySchema,
  PreUnderwritingOutcomeSchema,
  type Timeline,
  type TimelineEntry,
} from '@supplier/proto/submission/v1/timeline';
import type { Live } from '../live.ts';
import { timeOf, wordOf } from '../words.ts';
import { Part } from './part.tsx';
import { RequestLink } from './request-link.tsx';

/** The history of a submission, oldest first. */
export function TimelinePart({ timeline: { query, isLost } }: { readonly timeline: Live<Timeline> }) {
  return (
    <Part title="Timeline" query={query} isLost={isLost} nothing="Nothing is known of it.">
      {({ entries }) => (
        <ol className="timeline">
          {entries.map((entry, place) => (
            // Entries are only appended, so an entry's index is stable.
            // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id
            <li key={place}>
              <time>{timeOf(entry.at)}</time> {sentenceFor(entry.what)}
              {entry.what.case === 'staffAction' ? (
                <>
                  , request <RequestLink id={entry.what.value.requestId} />
                </>
              ) : null}
            </li>
          ))}
        </ol>
      )}
    </Part>
  );
}

/** Formats one entry as text. */
function sentenceFor(what: TimelineEntry['what']): string {
  switch (what.case) {
    case 'received':
      return `received${what.value.forStaff ? ', for staff to decide' : ''}${request(what.value.requestId)}`;
    case 'decided': {
      const { decision, policyVersion, rule, reason, compared } = what.value;
      const by = policyVersion === 'staff' ? 'staff' : `rule “${rule}” of policy ${policyVersion}`;
      return `${wordOf(StatusSchema, decision)} by ${by}${tail(reason)}${tail(compared)}${duplicate(what.value)}`;
    }
    case 'promoted':
      return 'promoted to an application';
    case 'applicationCreated':
      return `Application ${what.value.applicationReference} created`;
    case 'preUnderwriting': {
      const { outcome, policyVersion, reasons, compared, closeReason } = what.value;
      return `pre-underwriting ${wordOf(PreUnderwritingOutcomeSchema, outcome)} by ${policyVersion === '' || policyVersion === 'staff' ? 'staff' : `policy ${policyVersion}`}${tail(reasons.join(', '))}${tail(compared)}${tail(closeReason)}`;
    }
    case 'billing': {
      const { billingStatus, notBillableReason } = what.value;
      return `billing: ${wordOf(BillingStatusSchema, billingStatus)}${notBillableReason ? `, because ${wordOf(NotBillableReasonSchema, notBillableReason)}` : ''}`;
    }
    case 'returned':
      return `returned: ${wordOf(ReturnReasonCategorySchema, what.value.reasonCategory)}`;
    case 'contactCorrected':
      return `contact corrected, revision ${what.value.revision}${tail(what.value.fields.join(', '))}`;
    case 'journeyLink':
      return `${wordOf(JourneyLinkKindSchema, what.value.kind)} link ${what.value.number} ${wordOf(LinkMomentSchema, what.value.moment)}`;
    case 'event':
      return `event ${what.value.type} ${what.value.version}${tail(what.value.change)}`;
    case 'staffAction':
      return `${what.value.actor} of staff: ${what.value.action}`;
    case 'parked':
      return `parked after ${what.value.attempts} attempts: ${what.value.failure}`;
    case undefined:
      return 'something that this console is too old for';
  }
}

const tail = (text: string) => (text === '' ? '' : `: ${text}`);
function duplicate({ duplicateOf, duplicateKey }: DecidedEntry): string {
  if (duplicateOf === '') return '';
  const same = duplicateKey === MatchKey.UNSPECIFIED ? 'customer' : wordOf(MatchKeySchema, duplicateKey);
  return `; same ${same} as submission ${duplicateOf}`;
}

const request = (id: string) => (id === '' ? '' : `, request ${id}`);
