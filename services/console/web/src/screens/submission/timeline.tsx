import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import { Box, Button, Group, Timeline as Steps, Text } from '@mantine/core';
import {
  BillingStatus,
  BillingStatusSchema,
  NotBillableReasonSchema,
  ReturnReasonCategorySchema,
  Status,
  StatusSchema,
} from '@supplier/proto/common/v1/status';
import type { DecisionFacts } from '@supplier/proto/submission/v1/get_decision_facts';
import { JourneyLinkKindSchema } from '@supplier/proto/submission/v1/journey_links';
import { PolicyKind, PolicyService } from '@supplier/proto/submission/v1/policies';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import {
  type DecidedEntry,
  FactKind,
  FactKindSchema,
  LinkMomentSchema,
  MatchKey,
  MatchKeySchema,
  PreUnderwritingOutcome,
  PreUnderwritingOutcomeSchema,
  type Timeline,
  type TimelineEntry,
} from '@supplier/proto/submission/v1/timeline';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { submissions, useMay } from '../../calls.ts';
import { EarlierSubmission } from '../../components/earlier-submission.tsx';
import { Facts } from '../../components/facts.tsx';
import { Mono } from '../../components/mono.tsx';
import { Panel } from '../../components/panel.tsx';
import { PurposeForm } from '../../components/purpose-field.tsx';
import { RequestLink } from '../../components/request-link.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import {
  capitalize,
  enumLabel,
  enumName,
  formatClock,
  formatDuration,
  formatTime,
  spaced,
  spacedWithin,
  uncamel,
  withNoun,
} from '../../format.ts';
import type { Live } from '../../live.ts';
import { didOf } from '../audit/actions.ts';
import { kindName } from '../policies/policy-kinds.ts';

const STAFF = 'staff';

/** The history of a submission, oldest first, with the time between its steps. */
export const TimelinePanel = ({ timeline: { query, isLost } }: { readonly timeline: Live<Timeline> }) => (
  <Panel title="Timeline" query={query} isLost={isLost} empty="No history is available.">
    {(found) => (
      <>
        <Steps role="list" active={found.entries.length} bulletSize={11} lineWidth={1}>
          {found.entries.map((entry, place) => {
            const { title, detail, color = 'green' } = stepOf(entry.what);
            return (
              <Steps.Item
                role="listitem"
                // Entries are only appended, so an entry's index is stable.
                // biome-ignore lint/suspicious/noArrayIndexKey: entries have no id
                key={place}
                color={color}
                bullet={' '}
                title={
                  <Group justify="space-between" gap="xs" wrap="nowrap" align="baseline">
                    <Text component="span">{title}</Text>
                    <Text
                      component="time"
                      size="xs"
                      c="dimmed"
                      className="number nowrap"
                      title={formatTime(entry.at)}
                    >
                      {formatClock(entry.at)}
                      {sinceBefore(found.entries[place - 1]?.at, entry.at)}
                    </Text>
                  </Group>
                }
              >
                <Text size="sm" c="dimmed" component="div">
                  {detail}
                </Text>
              </Steps.Item>
            );
          })}
        </Steps>
        <ComparedValues timeline={found} />
      </>
    )}
  </Panel>
);

function sinceBefore(before: Timestamp | undefined, at: Timestamp | undefined): string {
  if (!before || !at) return '';
  const ms = timestampDate(at).getTime() - timestampDate(before).getTime();
  return ms > 0 ? ` · ${formatDuration(ms)}` : '';
}

interface Step {
  readonly title: ReactNode;
  readonly detail?: ReactNode;
  readonly color?: 'green' | 'amber' | 'red' | 'gray';
}

/** Returns how an entry is rendered. */
function stepOf(what: TimelineEntry['what']): Step {
  switch (what.case) {
    case 'received': {
      const { requestId, forStaff, noUsableContact } = what.value;
      const why = noUsableContact ? ': no contact that can be compared with other submissions' : '';
      return {
        title: forStaff ? `Received, awaiting decision by staff${why}` : 'Received',
        detail: requestId === '' ? undefined : <Request id={requestId} />,
        color: forStaff ? 'amber' : 'green',
      };
    }
    case 'decided':
      return decisionStep(what.value);
    case 'promoted':
      return { title: 'Promoted to an Application' };
    case 'applicationCreated':
      return {
        title: (
          <>
            Application <Mono>{what.value.applicationReference}</Mono> created
          </>
        ),
      };
    case 'preUnderwriting': {
      const { outcome, policyVersion, reasons, comparedKinds, closeReason } = what.value;
      const by = policyVersion === '' || policyVersion === STAFF ? STAFF : `policy ${policyVersion}`;
      return {
        title: (
          <>
            Pre-underwriting {enumName(PreUnderwritingOutcomeSchema, outcome)} by {by}
            {reasons.length === 0 ? null : (
              <>
                , rule <strong>{reasons.join(', ')}</strong>
              </>
            )}
          </>
        ),
        detail: sentences(kindsOf(comparedKinds), closeReason),
        color: outcome === PreUnderwritingOutcome.CLEARED ? 'green' : 'amber',
      };
    }
    case 'billing': {
      const { billingStatus, notBillableReason } = what.value;
      return {
        title: `Billing: ${enumName(BillingStatusSchema, billingStatus)}`,
        detail: notBillableReason ? enumLabel(NotBillableReasonSchema, notBillableReason) : undefined,
        color: billingStatus === BillingStatus.BILLABLE ? 'green' : 'gray',
      };
    }
    case 'returned':
      return {
        title: 'Returned to the supplier',
        detail: enumLabel(ReturnReasonCategorySchema, what.value.reasonCategory),
        color: 'red',
      };
    case 'contactCorrected':
      return {
        title: `Contact corrected, revision ${what.value.revision}`,
        detail: capitalize(what.value.fields.map(spaced).join(', ')),
      };
    case 'journeyLink': {
      const { kind, number, moment } = what.value;
      return {
        title: `${enumLabel(JourneyLinkKindSchema, kind)} link ${number} ${enumName(LinkMomentSchema, moment)}`,
      };
    }
    case 'event': {
      const { type, version, change, eventId } = what.value;
      return {
        title: `Event ${version}: ${uncamel(type).toLowerCase()}`,
        detail: (
          <>
            {change === '' ? '' : `${capitalize(spaced(change))} · `}
            <Mono>{eventId}</Mono>
          </>
        ),
        color: 'gray',
      };
    }
    case 'staffAction': {
      const { actor, action, requestId } = what.value;
      return { title: `${actor}: ${didOf(action)}`, detail: <Request id={requestId} />, color: 'gray' };
    }
    case 'parked':
      return {
        title: `Parked after ${withNoun(what.value.attempts, 'attempt')}`,
        detail: what.value.failure,
        color: 'red',
      };
    case undefined:
      return { title: 'Unknown step. Reload the page to update the console.', color: 'gray' };
  }
}

function decisionStep(decided: DecidedEntry): Step {
  const { decision, policyVersion, rule, reason, comparedKinds, duplicateOf } = decided;
  const label = enumLabel(StatusSchema, decision);
  const color = decision === Status.ACCEPTED ? 'green' : 'gray';
  const detail = (
    <>
      {sentences(policyVersion === STAFF ? '' : reason, kindsOf(comparedKinds))}
      {duplicateOf === '' ? null : <DuplicateOf decided={decided} />}
    </>
  );
  if (policyVersion === STAFF)
    return { title: `${label} by staff${reason === '' ? '' : `: ${reason}`}`, detail, color };
  return {
    title: (
      <>
        {label} by policy <PolicyLink version={policyVersion} />, rule <strong>{rule}</strong>
      </>
    ),
    detail,
    color,
  };
}

/** Names what a rule compares, without values. */
const kindsOf = (kinds: readonly FactKind[]): string =>
  kinds.length === 0 ? '' : `Compares ${kinds.map((kind) => enumName(FactKindSchema, kind)).join(', ')}.`;

function DuplicateOf({ decided }: { readonly decided: DecidedEntry }) {
  const { duplicateKey } = decided;
  const key = duplicateKey === MatchKey.UNSPECIFIED ? 'customer' : enumName(MatchKeySchema, duplicateKey);
  return (
    <div>
      Same {key} as <EarlierSubmission of={decided} />
    </div>
  );
}

function PolicyLink({ version }: { readonly version: string }) {
  const may = useMay();
  if (!may(PolicyService.method.getPolicy)) return <strong>{version}</strong>;
  return (
    <Link to="/policies/$kind/$version" params={{ kind: kindName(PolicyKind.DECISION), version }}>
      {version}
    </Link>
  );
}

const Request = ({ id }: { readonly id: string }) => (
  <>
    Request <RequestLink id={id} />
  </>
);

/** Joins what is known into one line, with full stops. */
const sentences = (...texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .map((text) => `${capitalize(spacedWithin(text)).replace(/\.$/, '')}.`)
    .join(' ');

/** The values that the rules in a timeline compared, after a purpose is stated. */
function ComparedValues({ timeline: { submissionId, entries } }: { readonly timeline: Timeline }) {
  const may = useMay();
  const [isOpen, setOpen] = useState(false);
  const facts = useReveal<DecisionFacts>();
  const hasCompared = entries.some(
    ({ what }) =>
      (what.case === 'decided' || what.case === 'preUnderwriting') &&
      what.value.comparedKinds.some((kind) => kind !== FactKind.EARLIER_SUBMISSIONS),
  );
  if (!hasCompared || !may(SubmissionService.method.getDecisionFacts)) return null;
  if (!isOpen)
    return (
      <Button size="compact-sm" mt="sm" onClick={() => setOpen(true)}>
        Show values…
      </Button>
    );
  const show = (purpose: string) =>
    facts.show((signal) => submissions.getDecisionFacts({ submissionId, purpose }, { signal }));
  return (
    <Box mt="sm">
      <PurposeForm autoFocus isBusy={facts.isAsking} actions={[{ name: 'Show values', run: show }]} />
      <Revealed of={facts} label="Compared values">
        {({ decision, preUnderwriting }) => (
          <Facts facts={[inWords('Decision', decision), inWords('Pre-underwriting', preUnderwriting)]} />
        )}
      </Revealed>
    </Box>
  );
}

const inWords = (name: string, compared: string) =>
  compared === '' ? undefined : ([name, inSentences(compared)] as const);

const inSentences = (compared: string) =>
  capitalize(spacedWithin(compared)).replaceAll(' is true', ': yes').replaceAll(' is false', ': no');
