import type { Message } from '@bufbuild/protobuf';
import { create } from '@bufbuild/protobuf';
import { visible } from '@supplier/lib/text/visible';
import { BillingStatus, Status } from '@supplier/proto/common/v1/status';
import { ErasureState, ErasureStep } from '@supplier/proto/submission/v1/erasures';
import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { SendEventNowResponse } from '@supplier/proto/webhook/v1/send_events';
import { DeliveryState, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import type { Caller } from './caller.ts';

/** A follow-up of an answer that `--wait` can wait for. */
export interface Wait {
  /** Completes `wait until …`. */
  readonly until: string;
  /** Polls the state once. `request` and `answer` come from the command. */
  poll(caller: Caller, request: Message, answer: Message): Promise<PollResult>;
}

/** The result of one poll. `line` is shown to the user. */
export interface PollResult {
  readonly isDone: boolean;
  readonly line: string;
  /** The present state of the command's object. It replaces the answer in the output if it has the same type. */
  readonly now?: Message;
}

/** Billing decides asynchronously after a staff action on a submission. */
export const untilBillingIsDecided: Wait = {
  until: 'the billing of the submission is no longer pending',
  async poll(caller, request) {
    const { submissionId } = request as Message & { readonly submissionId: string };
    const { getSubmission } = SubmissionService.method;
    const found = await caller.unary(getSubmission, create(getSubmission.input, { submissionId }));
    const billing = found.billing?.billingStatus ?? BillingStatus.UNSPECIFIED;
    const isDone =
      billing === BillingStatus.BILLABLE ||
      billing === BillingStatus.NOT_BILLABLE ||
      // It is never billed.
      (billing === BillingStatus.UNSPECIFIED &&
        found.status !== Status.RECEIVED &&
        found.status !== Status.ACCEPTED);
    const line = `${word(Status[found.status])}, billing ${word(BillingStatus[billing])}`;
    return { isDone, line, now: found };
  },
};

/** An erasure continues in every service after its request. */
export const untilErasureIsComplete: Wait = {
  until: 'the applicants are erased from every service',
  async poll(caller, _, answer) {
    const { erasureId } = answer as Message & { readonly erasureId: string };
    const { getErasure } = PrivacyService.method;
    const found = await caller.unary(getErasure, create(getErasure.input, { erasureId }));
    const { state, submissions } = found;
    const done = submissions.filter(({ nextStep }) => nextStep === ErasureStep.DONE).length;
    const waits = [...new Set(submissions.flatMap(({ waitingFor }) => waitingFor || []))].map(visible);
    const line = [
      `${done} of ${submissions.length} erased`,
      ...waits.map((what) => `waiting for ${what}`),
    ].join('; ');
    return { isDone: state === ErasureState.COMPLETE, line, now: found };
  },
};

/** Waits for the events that a command recorded until they are delivered or given up. */
export const untilEventIsSettled: Wait = {
  until: 'every new event is delivered, exhausted or expired',
  async poll(caller, request, answer) {
    const states: DeliveryState[] = [];
    for (const { submissionId, eventId } of newEvents(request, answer)) {
      const { listEvents } = WebhookService.method;
      const { events } = await caller.unary(listEvents, create(listEvents.input, { submissionId }));
      // The event is recorded shortly after the answer, when the webhook service receives the change.
      states.push(events.find((event) => event.eventId === eventId)?.state ?? DeliveryState.PENDING);
    }
    const counts = [...new Set(states)].map(
      (state) => `${states.filter((other) => other === state).length} ${word(DeliveryState[state])}`,
    );
    return {
      isDone: !states.includes(DeliveryState.PENDING),
      line: counts.join(', ') || 'nothing to deliver',
    };
  },
};

/** Waits for the end of the attempt that a command caused, whatever its result. */
export const untilAttemptHasEnded: Wait = {
  until: 'the attempt has ended',
  async poll(caller, _, answer) {
    const { eventId, submissionId, attemptNumber } = answer as SendEventNowResponse;
    const { listEvents } = WebhookService.method;
    const { events } = await caller.unary(listEvents, create(listEvents.input, { submissionId }));
    const event = events.find((one) => one.eventId === eventId);
    const attempt = event?.attempts.find(({ number }) => number === attemptNumber);
    const isPending = event?.state === DeliveryState.PENDING;
    const result = attempt?.statusCode ?? attempt?.errorClass;
    return {
      // An event that was superseded, expired or deleted gets no more attempts.
      isDone: attempt?.endedAt !== undefined || !isPending,
      line: `attempt ${attemptNumber}: ${result || (isPending ? 'in progress' : 'not made')}, ${word(DeliveryState[event?.state ?? 0])}`,
    };
  },
};

interface NewEvent {
  readonly submissionId: string;
  readonly eventId: string;
}

/** SendTestEvent returns an event, RedeliverEvent one redelivery, and RedeliverSince several. */
function newEvents(request: Message, answer: Message): readonly NewEvent[] {
  const { submissionId } = request as Message & { readonly submissionId?: string };
  const { eventId, redelivery, redeliveries } = answer as Message & {
    readonly eventId?: string;
    readonly redelivery?: NewEvent;
    readonly redeliveries?: readonly NewEvent[];
  };
  if (submissionId !== undefined && eventId !== undefined) return [{ submissionId, eventId }];
  return redeliveries ?? (redelivery ? [redelivery] : []);
}

const word = (name: string | undefined) => (name ?? 'unknown').toLowerCase();
