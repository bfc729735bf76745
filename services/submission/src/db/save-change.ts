import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import type { EventId } from '@supplier/lib/ids';
import { appendEvent, appendEvents, newEvent, type OutboxEvent } from '@supplier/lib/outbox';
import { type StatusChange, SubmissionStatusChangedSchema } from '@supplier/proto/submission/v1/events';
import { isHandedOff } from '../domain/journey-link.ts';
import { toStatusMessage } from '../domain/status-message.ts';
import type { SubmissionState } from '../domain/submission.ts';
import type { Transaction } from './database.ts';

/** Internal grounds of a decision. */
interface Grounds {
  readonly policyVersion: string;
  readonly rule: string;
  readonly reason: string;
}

/** A domain event that goes out with a change, besides the change of status itself. */
interface FurtherEvent<Desc extends DescMessage = DescMessage> {
  readonly schema: Desc;
  readonly message: MessageInitShape<Desc>;
}

export function furtherEvent<Desc extends DescMessage>(
  schema: Desc,
  message: MessageInitShape<Desc>,
): FurtherEvent {
  return { schema, message: create(schema, message) } as FurtherEvent;
}

/**
 * Writes the new state of a locked submission and tells of it: the supplier-visible change first, then `further`
 * events, all at the time `next.changedAt`. `next` must come from the locked row. Resolves to the id of the first event.
 */
export async function saveChange(
  tx: Transaction,
  next: SubmissionState,
  change: StatusChange,
  options: { grounds?: Grounds; further?: FurtherEvent[] } = {},
): Promise<EventId> {
  const message = {
    accountId: next.accountId,
    submission: toStatusMessage(next),
    change,
    handedOff: isHandedOff(next),
  };
  let version = next.version;
  const eventOf = ({ schema, message: body }: FurtherEvent): OutboxEvent => {
    version += 1n;
    const facts = { aggregateId: next.id, aggregateVersion: version, occurredAt: next.changedAt };
    return newEvent(schema, body, facts);
  };
  const told = eventOf(furtherEvent(SubmissionStatusChangedSchema, message));
  const further = (options.further ?? []).map(eventOf);
  await tx.submission.update({
    where: { id: next.id },
    data: {
      ...columnsOf(next),
      version,
      ...groundsOf(options.grounds),
    },
    select: { id: true },
  });
  await appendEvents(tx, [told, ...further]);
  return told.eventId;
}

/**
 * Writes the new state of a locked submission with one event that is not a change of status: the webhook service stays
 * silent about it. `state` must come from the locked row. Resolves to the state with its new version.
 */
export async function announce(
  tx: Transaction,
  state: SubmissionState,
  event: FurtherEvent,
  occurredAt: Date,
): Promise<SubmissionState> {
  const aggregateVersion = state.version + 1n;
  await tx.submission.update({
    where: { id: state.id },
    data: { ...columnsOf(state), version: aggregateVersion },
    select: { id: true },
  });
  await appendEvent(
    tx,
    newEvent(event.schema, event.message, { aggregateId: state.id, aggregateVersion, occurredAt }),
  );
  return { ...state, version: aggregateVersion };
}

function columnsOf(state: SubmissionState) {
  return {
    status: state.status,
    awaitsStaff: state.awaitsStaff,
    decidedAt: state.decidedAt,
    applicationReference: state.application?.reference ?? null,
    applicationCreatedAt: state.application?.createdAt ?? null,
    billingStatus: state.billing.status,
    billableAt: state.billing.billableAt,
    notBillableReason: state.billing.notBillableReason,
    returnReason: state.returned?.reason ?? null,
    returnedAt: state.returned?.at ?? null,
    changedAt: state.changedAt,
  };
}

function groundsOf(grounds: Grounds | undefined) {
  if (!grounds) return {};
  return {
    decisionPolicy: grounds.policyVersion,
    decisionRule: grounds.rule,
    decisionReason: grounds.reason,
  };
}
