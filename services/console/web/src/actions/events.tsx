import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { TextInput } from '@mantine/core';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { RedeliverExhaustedResponse } from '@supplier/proto/webhook/v1/redelivery';
import type { Event } from '@supplier/proto/webhook/v1/webhook';
import { useEffect, useState } from 'react';
import { webhooks } from '../calls.ts';
import { Revealed } from '../components/revealed.tsx';
import { useReveal } from '../components/use-reveal.ts';
import { withNoun } from '../format.ts';
import { attemptOf } from '../parts/attempt.ts';
import { ConfirmDialog, quoted } from './confirm-dialog.tsx';
import { DateTimeField, timeIn } from './date-time-field.tsx';
import { type EndpointActionProps, placeOf } from './endpoint-actions.tsx';
import { ResponseBody } from './response-body.tsx';

const SHORTEST_PURPOSE = 3;

interface EventActionProps {
  readonly event: Event;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Sends a supplier an event again after its delivery failed. */
export const RedeliverEventAction = ({
  event: { eventId, submissionId, environment },
  onOpen,
}: EventActionProps) => (
  <ConfirmDialog
    name="Redeliver"
    description={`Sends the current status of ${submissionId} to the supplier as a new event that replaces the failed one.`}
    environment={environment}
    command={`sss events redeliver ${eventId}`}
    isReady
    onOpen={onOpen}
    run={(idempotencyKey) => webhooks.redeliverEvent({ eventId, idempotencyKey })}
  />
);

/**
 * Shows the receiver's responses, which may contain a link of the applicant's. Reading them requires a purpose and is
 * audited.
 */
export function ReadEventAction({ event: { eventId, submissionId, environment }, onOpen }: EventActionProps) {
  const [purpose, setPurpose] = useState('');
  return (
    <ConfirmDialog
      name="Read responses"
      description={`Shows the start of each response to this event of ${submissionId}. It may contain personal data. Recorded in the audit log with your reason.`}
      environment={environment}
      command={`sss events show ${eventId} --purpose ${quoted(purpose.trim())}`}
      isReady={purpose.trim().length >= SHORTEST_PURPOSE}
      onOpen={onOpen}
      run={() => webhooks.getEvent({ eventId, purpose: purpose.trim() })}
      renderResult={(event) => <AnswersBriefly event={event} />}
    >
      <TextInput
        label="Reason"
        description="For the audit log. No personal data."
        id="read-why"
        value={purpose}
        maxLength={200}
        onChange={(event) => setPurpose(event.currentTarget.value)}
        data-autofocus
      />
    </ConfirmDialog>
  );
}

/** Hides the responses after the same time as the applicant's details, because they may contain some. */
function AnswersBriefly({ event }: { readonly event: Event }) {
  const answers = useReveal<Event>();
  const { show } = answers;
  useEffect(() => show(() => Promise.resolve(event)), [event, show]);
  return (
    <Revealed of={answers} label="Answers">
      {(shown) => <Answers event={shown} />}
    </Revealed>
  );
}

const Answers = ({ event: { attempts } }: { readonly event: Event }) =>
  attempts.length === 0 ? (
    <p>No attempts yet.</p>
  ) : (
    <ol>
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          {attemptOf(attempt)}
          {attempt.answerErased ? ', its answer was erased' : ''}
          <ResponseBody head={attempt.answerHead} />
        </li>
      ))}
    </ol>
  );

/** Sends a supplier all events whose delivery was exhausted since a time. */
export function RedeliverExhaustedAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const [moment, setMoment] = useState('');
  const since = timeIn(moment);
  return (
    <ConfirmDialog
      name="Redeliver all exhausted"
      description={`Sends ${account.name} the current status of up to 200 submissions whose events were exhausted since this time.`}
      environment={environment}
      command={`sss events redeliver-exhausted ${placeOf(props)} --since ${since ?? ''}`}
      isReady={since !== undefined}
      onOpen={onOpen}
      run={(idempotencyKey) =>
        webhooks.redeliverExhausted({
          accountId: account.accountId,
          environment,
          since: timestampFromDate(new Date(since ?? Number.NaN)),
          idempotencyKey,
        })
      }
      renderResult={(answer) => <Redelivered answer={answer} />}
    >
      <DateTimeField
        id={`since-${environment}`}
        label="Exhausted since"
        value={moment}
        onChange={setMoment}
      />
    </ConfirmDialog>
  );
}

const Redelivered = ({ answer: { redeliveries, more } }: { readonly answer: RedeliverExhaustedResponse }) => (
  <>
    <p>
      {redeliveries.length === 0
        ? 'No events were exhausted since then.'
        : `Sending the current status of ${withNoun(redeliveries.length, 'submission')}.`}
    </p>
    {more ? <p>More submissions remain. Repeat this.</p> : null}
  </>
);

interface TestEventProps {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Sends a supplier the present status of a submission as a test. */
export const TestEventAction = ({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: TestEventProps) => (
  <ConfirmDialog
    name="Send test event"
    description={`Sends the current status of ${externalReference} to the supplier as an ordinary event.`}
    environment={environment}
    command={`sss events test ${submissionId}`}
    isReady
    onOpen={onOpen}
    run={(idempotencyKey) => webhooks.sendTestEvent({ submissionId, idempotencyKey })}
  />
);
