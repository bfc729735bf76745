import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { DomainEventOf } from '@supplier/lib/event-bus';
import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/ids';
import { toDate } from '@supplier/lib/time';
import {
  type BillingModel,
  type Environment,
  Status,
  type SubmissionStatus,
} from '@supplier/proto/common/v1/status';
import {
  ApplicationCreatedSchema,
  type LeadRestated,
  LeadRestatedSchema,
  type PreUnderwritingCompleted,
  PreUnderwritingCompletedSchema,
  type PreUnderwritingProgress,
  SubmissionStatusChangedSchema,
} from '@supplier/proto/submission/v1/events';
import { PreUnderwritingState } from '@supplier/proto/submission/v1/submission';
import type { BillingStatus, FactKind, LeadFact } from '../domain/billing-decision.ts';
import type { LeadEvent } from '../domain/lead.ts';
import { BILLING_MODELS, BILLING_STATUSES, ENVIRONMENTS, nameOf } from '../messages/enum-mapping.ts';

/** The events of the submission service that billing applies. */
export const SUBMISSION_EVENTS = [
  SubmissionStatusChangedSchema,
  ApplicationCreatedSchema,
  PreUnderwritingCompletedSchema,
  LeadRestatedSchema,
] as const;

export type SubmissionEvent = DomainEventOf<typeof SUBMISSION_EVENTS>;

/**
 * Reads what an event says about its lead; throws when the event breaks its contract. Implements docs/contract.md,
 * section 6.
 */
export function readLeadEvent(event: SubmissionEvent): LeadEvent {
  const { message } = event;
  switch (message.$typeName) {
    case 'supplier.submission.v1.SubmissionStatusChanged': {
      const submission = statusOf(message);
      return leadEvent(event, submission, statusFacts(submission, message.preUnderwriting));
    }
    case 'supplier.submission.v1.ApplicationCreated':
      return leadEvent(event, message, [fact('application_created', message.createdAt)]);
    case 'supplier.submission.v1.PreUnderwritingCompleted':
      if (message.state === PreUnderwritingState.PENDING)
        throw new Error('invalid event PreUnderwritingCompleted: state pending');
      return leadEvent(event, message, [...clearedFacts(message), ...closedFacts(message)]);
    case 'supplier.submission.v1.LeadRestated': {
      const submission = statusOf(message);
      const shown = nameOf(BILLING_STATUSES, submission.billing.billingStatus);
      return leadEvent(event, submission, restatedFacts(message, submission, shown), shown);
    }
  }
}

/** What an event says of the terms of its lead. */
interface Terms {
  readonly environment: Environment;
  readonly billingModel: BillingModel;
}

function leadEvent(
  { id, version, context, aggregateId, message }: SubmissionEvent,
  { environment, billingModel }: Terms,
  facts: readonly LeadFact[],
  restatedStatus: LeadEvent['restatedStatus'] = null,
): LeadEvent {
  const submissionId = parseId<SubmissionId>(aggregateId);
  const accountId = parseId<AccountId>(message.accountId);
  if (!submissionId || !accountId) throw new Error('invalid event: submission id or account id missing');
  const lead = {
    submissionId,
    accountId,
    environment: nameOf(ENVIRONMENTS, environment),
    billingModel: nameOf(BILLING_MODELS, billingModel),
  };
  return { id, version, context, lead, facts, restatedStatus };
}

function statusOf({ submission }: { readonly submission?: SubmissionStatus | undefined }) {
  if (!submission?.billing) throw new Error('invalid event: status or billing missing');
  return { ...submission, billing: submission.billing, billingModel: submission.billing.billingModel };
}

/** The facts that a status shows; a returned lead was accepted once, but that is past and charges nothing any more. */
function statusFacts(
  submission: Omit<SubmissionStatus, '$typeName'>,
  preUnderwriting: PreUnderwritingProgress | undefined,
): LeadFact[] {
  const { status, decidedAt, applicationCreatedAt } = submission;
  switch (status) {
    case Status.RECEIVED:
      return [];
    case Status.ACCEPTED:
      return [
        fact('accepted', decidedAt),
        ...(applicationCreatedAt ? [fact('application_created', applicationCreatedAt)] : []),
        ...(preUnderwriting ? clearedFacts(preUnderwriting) : []),
      ];
    case Status.REJECTED:
      return [fact('rejected', decidedAt)];
    case Status.DUPLICATE_NOT_ACCEPTED:
      return [fact('duplicate', decidedAt)];
    case Status.RETURNED:
      return [fact('returned', submission.return?.returnedAt)];
    case Status.UNSPECIFIED:
      throw new Error('invalid event: status unspecified');
  }
}

/** A lead that is not cleared is returned, waits for staff, or is closed: none of these clears it later. */
function clearedFacts({ state, completedAt }: Omit<PreUnderwritingProgress, '$typeName'>): LeadFact[] {
  switch (state) {
    case PreUnderwritingState.CLEARED:
      return [fact('pre_underwriting_cleared', completedAt)];
    case PreUnderwritingState.NOT_CLEARED:
    case PreUnderwritingState.PENDING:
      return [];
    case PreUnderwritingState.UNSPECIFIED:
      throw new Error('invalid event: state of pre-underwriting unspecified');
  }
}

/** A lead that is not cleared, and will not be returned any more. */
function closedFacts({
  state,
  completedAt,
  withoutReturn,
}: Pick<PreUnderwritingCompleted, 'state' | 'withoutReturn' | 'completedAt'>): LeadFact[] {
  const isClosed = state === PreUnderwritingState.NOT_CLEARED && withoutReturn;
  return isClosed ? [fact('closed', completedAt)] : [];
}

/**
 * The facts of a restated lead. Where billing has lost it, what its supplier is shown is what billing had decided, and
 * stays so: it is billable from the very time that is shown, and an accepted lead that is shown as not billable had been
 * ended, whatever has happened to it since.
 */
function restatedFacts(
  message: LeadRestated,
  submission: ReturnType<typeof statusOf>,
  shown: BillingStatus,
): LeadFact[] {
  if (shown === 'not_billable' && submission.status === Status.ACCEPTED)
    return [fact('ended_by_staff', submission.decidedAt)];
  const facts = [
    ...statusFacts(submission, message.preUnderwriting),
    ...closedFacts(restatedOutcome(message)),
  ];
  return shown === 'billable' ? facts.map(({ kind }) => fact(kind, submission.billing.billableAt)) : facts;
}

/** A restated lead that is not cleared and still accepted has been closed: a return shows in its status. */
function restatedOutcome({ submission, preUnderwriting }: LeadRestated) {
  return {
    state: preUnderwriting?.state ?? PreUnderwritingState.UNSPECIFIED,
    withoutReturn: submission?.status === Status.ACCEPTED,
    completedAt: preUnderwriting?.completedAt,
  };
}

function fact(kind: FactKind, at: Timestamp | undefined): LeadFact {
  if (!at) throw new Error(`invalid event: time of "${kind}" missing`);
  return { kind, at: toDate(at) };
}
