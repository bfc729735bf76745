import { fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { toTimestamp } from '@supplier/lib/text/time';
import type { EventEnvelope } from '@supplier/proto/common/v1/event';
import {
  BillingStatus,
  type Level,
  NotBillableReason,
  type ReturnReasonCategory,
  Status,
} from '@supplier/proto/common/v1/status';
import { StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import type { JourneyLinkKind } from '@supplier/proto/submission/v1/journey_links';
import { type Contact, PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import {
  type FactKind,
  LinkMoment,
  MatchKey,
  PreUnderwritingOutcome,
  type TimelineEntrySchema,
} from '@supplier/proto/submission/v1/timeline';
import { STAFF_POLICY } from '../model/policy/decision-policy.ts';
import type { OfRules } from './compared.ts';

/** The known history of a submission. Small integers are enum numbers. */
export interface LifeOfSubmission {
  readonly submission: {
    readonly level: Level;
    readonly status: Status;
    readonly awaitsStaff: boolean;
    readonly unidentified: boolean;
    readonly receivedAt: Date;
    readonly decidedAt: Date | null;
    readonly decisionPolicy: string | null;
    readonly decisionRule: string | null;
    readonly decisionReason: string | null;
    readonly duplicateOf: string | null;
    readonly duplicateKey: MatchKey | null;
    readonly erasedAt: Date | null;
    readonly billingStatus: BillingStatus;
    readonly billableAt: Date | null;
    readonly notBillableReason: NotBillableReason;
    readonly returnReason: ReturnReasonCategory | null;
    readonly returnedAt: Date | null;
    readonly changedAt: Date;
    readonly requestId: string | null;
    readonly workAttempts: number;
    readonly workFailure: string | null;
    readonly workParkedAt: Date | null;
  };
  readonly application: {
    readonly reference: string;
    readonly createdAt: Date;
    readonly preUnderwriting: PreUnderwritingState;
    readonly preUnderwritingAt: Date | null;
    readonly preUnderwritingPolicy: string | null;
    readonly preUnderwritingReasons: readonly string[];
    readonly closeReason: string | null;
  } | null;
  readonly promotedAt: Date | null;
  readonly corrections: readonly {
    readonly revision: number;
    readonly correctedAt: Date;
    /** Null once erased. */
    readonly contact: Contact | null;
  }[];
  readonly links: readonly {
    readonly kind: JourneyLinkKind;
    readonly number: number;
    readonly createdAt: Date;
    readonly expiresAt: Date;
    readonly usedAt: Date | null;
    readonly codeUsedAt: Date | null;
    readonly endedAt: Date | null;
  }[];
  readonly events: readonly EventEnvelope[];
  /** The earlier submission of the same customer that its decision found. */
  readonly earlier: { readonly accountId: string; readonly externalReference: string } | null;
  /** What its rules compare, without values. */
  readonly compared: OfRules<readonly FactKind[]>;
  readonly acts: readonly {
    readonly at: Date;
    readonly actor: string;
    readonly action: string;
    readonly requestId: string;
  }[];
}

type Entry = MessageInitShape<typeof TimelineEntrySchema>;
type What = NonNullable<Entry['what']>;

/** Returns the history of a submission in the order of time, with entries of one moment in their logical order. */
export function timelineOf(life: LifeOfSubmission, now: Date): Entry[] {
  const entries = [
    ...ownEntries(life),
    ...applicationEntries(life),
    ...billingEntries(life),
    ...life.corrections.map(({ revision, correctedAt, contact }) =>
      entry(correctedAt, {
        case: 'contactCorrected',
        value: { revision: BigInt(revision), fields: contact ? statedFields(contact) : [] },
      }),
    ),
    ...life.links.flatMap((link) => linkEntries(link, now)),
    ...life.events.flatMap(eventEntry),
    ...life.acts.map(({ at, actor, action, requestId }) =>
      entry(at, { case: 'staffAction', value: { actor, action, requestId } }),
    ),
  ];
  return entries.toSorted((one, other) => msOf(one) - msOf(other));
}

const entry = (at: Date, what: What): Entry => ({ at: toTimestamp(at), what });
const msOf = ({ at }: Entry): number => (at ? timestampMs(at as Timestamp) : 0);

function ownEntries({ submission, promotedAt, compared, earlier }: LifeOfSubmission): Entry[] {
  const {
    receivedAt,
    requestId,
    awaitsStaff,
    unidentified,
    decidedAt,
    decisionPolicy,
    returnedAt,
    returnReason,
  } = submission;
  const entries = [
    entry(receivedAt, {
      case: 'received',
      value: {
        requestId: requestId ?? '',
        forStaff: unidentified || awaitsStaff || decisionPolicy === STAFF_POLICY,
        noUsableContact: unidentified,
      },
    }),
  ];
  if (promotedAt) entries.push(entry(promotedAt, { case: 'promoted', value: {} }));
  if (decidedAt)
    entries.push(
      entry(decidedAt, {
        case: 'decided',
        value: {
          ...decisionOf(submission),
          duplicateOf: submission.duplicateOf ?? '',
          duplicateKey: submission.duplicateKey ?? MatchKey.UNSPECIFIED,
          comparedKinds: [...compared.decision],
          duplicateAccountId: earlier?.accountId ?? '',
          duplicateReference: earlier?.externalReference ?? '',
        },
      }),
    );
  if (returnedAt && returnReason !== null)
    entries.push(entry(returnedAt, { case: 'returned', value: { reasonCategory: returnReason } }));
  if (submission.workParkedAt)
    entries.push(
      entry(submission.workParkedAt, {
        case: 'parked',
        value: { attempts: submission.workAttempts, failure: submission.workFailure ?? '' },
      }),
    );
  return entries;
}

function decisionOf({
  status,
  decisionPolicy,
  decisionRule,
  decisionReason,
}: LifeOfSubmission['submission']) {
  return {
    // A returned submission had been accepted.
    decision: status === Status.RETURNED ? Status.ACCEPTED : status,
    policyVersion: decisionPolicy ?? '',
    rule: decisionRule ?? '',
    reason: decisionReason ?? '',
  };
}

function applicationEntries({ application, compared }: LifeOfSubmission): Entry[] {
  if (!application) return [];
  const { reference, createdAt, preUnderwriting, preUnderwritingAt, closeReason } = application;
  const entries = [
    entry(createdAt, { case: 'applicationCreated', value: { applicationReference: reference } }),
  ];
  if (preUnderwritingAt)
    entries.push(
      entry(preUnderwritingAt, {
        case: 'preUnderwriting',
        value: {
          outcome: OUTCOMES[preUnderwriting],
          policyVersion: application.preUnderwritingPolicy ?? '',
          reasons: [...application.preUnderwritingReasons],
          closeReason: closeReason ?? '',
          comparedKinds: [...compared.preUnderwriting],
        },
      }),
    );
  return entries;
}

/** The outcome for each state of pre-underwriting that has a time. */
const OUTCOMES: Readonly<Record<PreUnderwritingState, PreUnderwritingOutcome>> = {
  [PreUnderwritingState.UNSPECIFIED]: PreUnderwritingOutcome.UNSPECIFIED,
  [PreUnderwritingState.PENDING]: PreUnderwritingOutcome.LEFT_TO_STAFF,
  [PreUnderwritingState.CLEARED]: PreUnderwritingOutcome.CLEARED,
  [PreUnderwritingState.NOT_CLEARED]: PreUnderwritingOutcome.NOT_CLEARED,
};

function billingEntries({ submission }: LifeOfSubmission): Entry[] {
  const { billingStatus, notBillableReason, receivedAt, returnedAt, billableAt, changedAt } = submission;
  if (billingStatus === BillingStatus.PENDING) return [];
  const sandbox = notBillableReason === NotBillableReason.SANDBOX ? receivedAt : null;
  const at = billableAt ?? sandbox ?? returnedAt ?? changedAt;
  return [entry(at, { case: 'billing', value: { billingStatus, notBillableReason } })];
}

const CONTACT_FIELDS = {
  first_name: 'firstName',
  last_name: 'lastName',
  telephone: 'telephone',
  email: 'email',
} as const;

/** Returns the names of the fields stated by a correction, as in the contract. */
function statedFields(contact: Contact): string[] {
  const fields: string[] = Object.entries(CONTACT_FIELDS).flatMap(([name, key]) =>
    contact[key] === undefined ? [] : [name],
  );
  return contact.preferredContactMethod === 0 ? fields : [...fields, 'preferred_contact_method'];
}

function linkEntries(link: LifeOfSubmission['links'][number], now: Date): Entry[] {
  const { kind, number, createdAt, expiresAt, usedAt, codeUsedAt, endedAt } = link;
  const expired = expiresAt <= now && !usedAt && !endedAt ? expiresAt : null;
  const moments = [
    [createdAt, LinkMoment.ISSUED],
    [usedAt, LinkMoment.USED],
    [codeUsedAt, LinkMoment.CODE_EXCHANGED],
    [expired, LinkMoment.EXPIRED],
    [endedAt, LinkMoment.ENDED],
  ] as const;
  return moments.flatMap(([at, moment]) =>
    at ? [entry(at, { case: 'journeyLink', value: { kind, number, moment } })] : [],
  );
}

function eventEntry({
  occurredAt,
  eventId,
  type,
  aggregateVersion,
  requestId,
  payload,
}: EventEnvelope): Entry[] {
  if (!occurredAt) return [];
  const value = {
    eventId,
    type: type.slice(type.lastIndexOf('.') + 1),
    version: aggregateVersion,
    requestId,
    ...(type === SubmissionStatusChangedSchema.typeName ? changeOf(payload) : {}),
  };
  return [{ at: occurredAt, what: { case: 'event', value } }];
}

function changeOf(payload: Uint8Array) {
  const { change, submission } = fromBinary(SubmissionStatusChangedSchema, payload);
  return {
    change: change === StatusChange.UNSPECIFIED ? '' : (StatusChange[change] ?? '').toLowerCase(),
    status: submission?.status ?? Status.UNSPECIFIED,
    billingStatus: submission?.billing?.billingStatus ?? BillingStatus.UNSPECIFIED,
  };
}
