import type { MessageInitShape } from '@bufbuild/protobuf';
import { toTimestamp } from '@supplier/lib/text/time';
import {
  type AttemptSchema,
  DeliveryState,
  EventChange as EventChangeCode,
  type EventSchema,
} from '@supplier/proto/webhook/v1/webhook';
import { environmentOf } from '../model/environment.ts';
import { EVENT_STATES, type EventChange, type EventState } from '../model/event.ts';
import type { AttemptRecord, EventRecord } from '../store/events.ts';

const STATES: Record<EventState, DeliveryState> = {
  pending: DeliveryState.PENDING,
  delivered: DeliveryState.DELIVERED,
  exhausted: DeliveryState.EXHAUSTED,
  superseded: DeliveryState.SUPERSEDED,
  expired: DeliveryState.EXPIRED,
  dropped: DeliveryState.DROPPED,
};

const CHANGES: Record<EventChange, EventChangeCode> = {
  decided: EventChangeCode.DECIDED,
  billing_decided: EventChangeCode.BILLING_DECIDED,
  returned: EventChangeCode.RETURNED,
  handoff_available: EventChangeCode.HANDOFF_AVAILABLE,
  test: EventChangeCode.TEST,
  redelivery: EventChangeCode.REDELIVERY,
};

const NO_HEADS: ReadonlyMap<number, Uint8Array> = new Map();

/** The state with this number; undefined when it is unspecified or not known to this build. */
export function eventStateOf(state: DeliveryState): EventState | undefined {
  return EVENT_STATES.find((name) => STATES[name] === state);
}

/** An event with its attempts as RPCs return it; `heads` are the opened beginnings of the answers, by number. */
export function eventMessage(
  event: EventRecord,
  heads: ReadonlyMap<number, Uint8Array> = NO_HEADS,
): MessageInitShape<typeof EventSchema> {
  return {
    eventId: event.eventId,
    submissionId: event.submissionId,
    accountId: event.accountId,
    environment: environmentOf(event.environment),
    change: CHANGES[event.change],
    occurredAt: toTimestamp(event.occurredAt),
    recordedAt: toTimestamp(event.recordedAt),
    state: STATES[event.state],
    ...(event.nextAttemptAt ? { nextAttemptAt: toTimestamp(event.nextAttemptAt) } : {}),
    ...(event.settledAt ? { settledAt: toTimestamp(event.settledAt) } : {}),
    ...(event.bodyErasedAt ? { bodyErasedAt: toTimestamp(event.bodyErasedAt) } : {}),
    supersededBy: event.supersededBy ?? '',
    redeliveredAs: event.redeliveredAs ?? '',
    attempts: event.attempts.map((attempt) => attemptMessage(attempt, heads.get(attempt.number))),
  };
}

function attemptMessage(
  attempt: AttemptRecord,
  head: Uint8Array | undefined,
): MessageInitShape<typeof AttemptSchema> {
  const { dnsMs, connectMs, tlsMs, statusMs } = attempt;
  return {
    number: attempt.number,
    startedAt: toTimestamp(attempt.startedAt),
    ...(attempt.endedAt ? { endedAt: toTimestamp(attempt.endedAt) } : {}),
    ...(attempt.statusCode === undefined ? {} : { statusCode: attempt.statusCode }),
    errorClass: attempt.error ?? '',
    keyFingerprint: attempt.keyFingerprint,
    ...(dnsMs === undefined ? {} : { dnsMs }),
    ...(connectMs === undefined ? {} : { connectMs }),
    ...(tlsMs === undefined ? {} : { tlsMs }),
    ...(statusMs === undefined ? {} : { statusMs }),
    resolvedIp: attempt.resolvedIp ?? '',
    tlsVersion: attempt.tlsVersion ?? '',
    ...(head ? { answerHead: head } : {}),
    answerErased: attempt.isAnswerErased,
  };
}
