import { Alert } from '@mantine/core';
import { type Environment, EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import {
  DeliveryStateSchema,
  type Event,
  type PreflightEndpointResponse,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog, type Toast } from '../../actions/confirm-dialog.tsx';
import { keyOf, submissions, useMay, webhooks } from '../../calls.ts';
import { CheckField, DateTimeField, TextField } from '../../components/fields.tsx';
import { DAY_MS, timeIn, timestampIn } from '../../dates.ts';
import { enumFlag, enumLabel, formatTime, UUID, withNoun } from '../../format.ts';
import { causeOf } from './attempt.ts';
import { type Outcome, outcomeOf, type RequestedAttempt } from './attempt-outcome.ts';
import { type EndpointActionProps, flagsOf } from './endpoint-actions.tsx';
import { pendingOf } from './endpoint-health.ts';
import { PreflightChecklist } from './preflight.tsx';
import { untilDone } from './until-done.ts';

const PAUSE_MS = 500;

const waitForOutcome = (requested: RequestedAttempt): Promise<Outcome> =>
  outcomeOf(
    requested,
    async (submissionId) => (await webhooks.listEvents({ submissionId })).events,
    () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS)),
  );

/** A delivered event closes the dialog; any other outcome stays until it is read. */
function renderOutcome(outcome: Outcome): ReactNode {
  switch (outcome.result) {
    case 'delivered':
      return undefined;
    case 'failed':
      return (
        <Alert color="red" role="note" title={`Not delivered: ${causeOf(outcome.attempt)}`}>
          {outcome.nextAttemptAt
            ? `Next attempt ${formatTime(outcome.nextAttemptAt)}`
            : 'There are no more attempts.'}
        </Alert>
      );
    case 'ended':
      return (
        <Alert color="yellow" role="note">
          {`Not sent, because the event is ${enumLabel(DeliveryStateSchema, outcome.state).toLowerCase()}.`}
        </Alert>
      );
    case 'waiting':
      return (
        <Alert color="yellow" role="note">
          Not sent yet. Earlier events of the endpoint may come first. See the Events tab.
        </Alert>
      );
  }
}

const deliveredToast = (outcome: Outcome): Toast => ({
  message:
    outcome.result === 'delivered' && outcome.attempt
      ? `Event delivered: ${causeOf(outcome.attempt)}`
      : 'Event delivered',
});

/** Makes the next attempt of a pending event now, and shows its result. */
export const SendEventNowAction = ({
  event: { eventId, submissionId, environment, attempts },
  onOpen,
}: {
  readonly event: Event;
  readonly onOpen: (isOpen: boolean) => void;
}) => (
  <ConfirmDialog
    name="Send now"
    description={`Sends this event of ${submissionId} without waiting for the next retry. It is attempt ${attempts.length + 1} of 8.`}
    environment={environment}
    command={`sss events send-now ${eventId}`}
    onOpen={onOpen}
    run={async (idempotencyKey) => {
      const sent = await webhooks.sendEventNow({ eventId, idempotencyKey });
      return waitForOutcome({ submissionId, eventId, number: sent.attemptNumber });
    }}
    renderResult={renderOutcome}
    toastOf={deliveredToast}
  />
);

/** Makes the next attempts of an endpoint's pending events now. */
export function SendPendingAction(props: EndpointActionProps) {
  const { account, environment, listed, onOpen } = props;
  const [time, setTime] = useState('');
  const since = timeIn(time);
  return (
    <ConfirmDialog
      name="Send pending events"
      description={`Sends ${account.name} ${pendingOf(listed)} without waiting for the next retries. Each attempt counts, and the endpoint’s limits apply.`}
      environment={environment}
      command={`sss events send-pending ${flagsOf(props)}${since ? ` --recorded-since ${since}` : ''}`}
      isReady={time === '' || since !== undefined}
      unready="Enter a complete time."
      onOpen={onOpen}
      run={(key) => {
        const recordedSince = timestampIn(time);
        return untilDone(key, (idempotencyKey) =>
          webhooks.sendPendingEvents({
            ...{ accountId: account.accountId, environment, idempotencyKey },
            ...(recordedSince && { recordedSince }),
          }),
        );
      }}
      toastOf={(answers) => ({
        message: `Sending ${withNoun(
          answers.reduce((sum, { events }) => sum + events, 0),
          'pending event',
        )}`,
      })}
    >
      <DateTimeField
        path="recorded_since"
        label="Recorded since"
        description="Leave empty to send all pending events."
        value={time}
        onChange={setTime}
      />
    </ConfirmDialog>
  );
}

const MINUTE_MS = 60_000;
const minuteOf = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/** Sends a supplier the current status of all submissions whose events ended since a time. */
export function RedeliverSinceAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const [time, setTime] = useState('');
  const [includesDelivered, setIncludesDelivered] = useState(false);
  // Fixed when the dialog opens: repeated calls must not redeliver what the first ones delivered.
  const [until, setUntil] = useState('');
  const since = timeIn(time);
  const deliveredUntil = includesDelivered ? timeIn(until) : undefined;
  return (
    <ConfirmDialog
      name="Redeliver events"
      description={`Sends ${account.name} the current status of every submission with an event that was exhausted or expired since this time.`}
      environment={environment}
      command={`sss events redeliver-since ${flagsOf(props)} --since ${since ?? ''}${deliveredUntil ? ` --delivered-until ${deliveredUntil}` : ''}`}
      isReady={since !== undefined}
      onOpen={(isOpen) => {
        if (isOpen) {
          setTime(minuteOf(Date.now() - DAY_MS));
          // Even if this clock is a little ahead of the service's.
          setUntil(minuteOf(Date.now() - MINUTE_MS));
        }
        onOpen(isOpen);
      }}
      run={(key) => {
        const delivered = deliveredUntil ? timestampIn(until) : undefined;
        return untilDone(key, (idempotencyKey) =>
          webhooks.redeliverSince({
            ...{ accountId: account.accountId, environment, since: timestampIn(time), idempotencyKey },
            ...(delivered && { deliveredUntil: delivered }),
          }),
        );
      }}
      renderResult={(answers) => {
        const count = answers.reduce((sum, { redeliveries }) => sum + redeliveries.length, 0);
        return (
          <p>
            {count === 0
              ? 'Nothing to redeliver since then.'
              : `Sending the current status of ${withNoun(count, 'submission')}.`}
          </p>
        );
      }}
    >
      <DateTimeField path="since" label="Since" value={time} onChange={setTime} isRequired />
      <CheckField
        label="Also delivered events, for a supplier that lost them"
        checked={includesDelivered}
        onChange={setIncludesDelivered}
      />
    </ConfirmDialog>
  );
}

interface TestEventProps {
  readonly environment: Environment;
  /** The submission that the event is about, or undefined if the person chooses. */
  readonly submission?: { readonly submissionId: string; readonly externalReference: string };
  /** The supplier whose latest submission is suggested. */
  readonly accountId?: string;
  readonly onOpen: (isOpen: boolean) => void;
}

/**
 * Sends a supplier the current status of a submission as a test, and shows the result of the first attempt. A supplier
 * without submissions gets a signed sample event, and each step to its response is shown.
 */
export function TestEventAction({ environment, submission, accountId, onOpen }: TestEventProps) {
  const may = useMay();
  const [openedAt, setOpenedAt] = useState<number>();
  const [entered, setEntered] = useState<string>();
  const request = { accountId: accountId ?? '', environment, pageSize: 1 };
  const { data } = useQuery({
    // The suggestion must not change while the person decides, so each opening of the dialog loads one.
    queryKey: keyOf(SubmissionService.method.listSubmissions, request, openedAt),
    enabled: openedAt !== undefined && accountId !== undefined,
    meta: { isList: true },
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) => submissions.listSubmissions(request, { signal }),
  });
  const submissionId = submission?.submissionId ?? entered ?? data?.submissions[0]?.submissionId ?? '';
  const hasNone = data?.submissions.length === 0;
  const isSample = hasNone && may(WebhookService.method.preflightEndpoint);
  return (
    <ConfirmDialog
      name="Send test event"
      description={
        isSample
          ? 'The supplier has no submissions in this environment yet, so this sends a signed sample event, and shows the response. Only the audit log records it.'
          : `Sends the current status of ${submission?.externalReference ?? 'the submission below'} to the supplier as an ordinary event, and shows the response.`
      }
      environment={environment}
      command={
        isSample
          ? `sss endpoints preflight ${accountId} --environment ${enumFlag(EnvironmentSchema, environment)}`
          : `sss events test ${submissionId} --wait`
      }
      isReady={isSample || UUID.test(submissionId)}
      unready={hasNone ? 'There is no submission to send.' : 'Enter the ID of a submission.'}
      onOpen={(open) => {
        setOpenedAt(open ? Date.now() : undefined);
        onOpen(open);
      }}
      run={async (idempotencyKey): Promise<Outcome | PreflightEndpointResponse> => {
        if (isSample) return webhooks.preflightEndpoint({ accountId: accountId ?? '', environment });
        const { eventId } = await webhooks.sendTestEvent({ submissionId, idempotencyKey });
        return waitForOutcome({ submissionId, eventId, number: 1 });
      }}
      renderResult={(answer) =>
        'ready' in answer ? <PreflightChecklist answer={answer} /> : renderOutcome(answer)
      }
      toastOf={(answer) =>
        'ready' in answer ? { message: 'Ready to receive events.' } : deliveredToast(answer)
      }
    >
      {submission || isSample ? null : hasNone ? (
        <Alert color="yellow" role="note">
          The supplier has no submissions in this environment. An administrator can send a test event without
          one.
        </Alert>
      ) : (
        <TextField
          path="submission_id"
          label="Submission ID"
          description="The latest submission, unless you enter another."
          value={submissionId}
          maxLength={36}
          onChange={setEntered}
        />
      )}
    </ConfirmDialog>
  );
}
