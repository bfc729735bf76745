import { FormGroup, InputGroup } from '@blueprintjs/core';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { SubmissionStatus } from '@supplier/proto/common/v1/status';
import type { RedeliverExhaustedResponse } from '@supplier/proto/webhook/v1/redelivery';
import type { Event } from '@supplier/proto/webhook/v1/webhook';
import { useEffect, useState } from 'react';
import { webhooks } from '../calls.ts';
import { attemptOf } from '../parts/attempt.ts';
import { useBriefly } from '../parts/briefly.ts';
import { ShownBriefly } from '../parts/shown-briefly.tsx';
import { counted } from '../words.ts';
import { Act, quoted } from './act.tsx';
import { AnswerHead } from './answer-head.tsx';
import { type EndpointActProps, placeOf } from './endpoint-acts.tsx';
import { MomentField, timeIn } from './moment-field.tsx';

const SHORTEST_PURPOSE = 3;

interface EventActProps {
  readonly event: Event;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Sends a supplier an event again after its delivery failed. */
export const RedeliverEventAct = ({
  event: { eventId, submissionId, environment },
  onOpen,
}: EventActProps) => (
  <Act
    name="Redeliver"
    says={`The supplier is sent the present status of ${submissionId}, as a new event that stands in for what did not arrive.`}
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
export function ReadEventAct({ event: { eventId, submissionId, environment }, onOpen }: EventActProps) {
  const [purpose, setPurpose] = useState('');
  return (
    <Act
      name="Read the answers"
      says={`Shows the beginning of each answer to this event of ${submissionId}. It may hold what is personal: that you have read it, and why, is in the audit log.`}
      environment={environment}
      command={`sss events show ${eventId} --purpose ${quoted(purpose.trim())}`}
      isReady={purpose.trim().length >= SHORTEST_PURPOSE}
      onOpen={onOpen}
      run={() => webhooks.getEvent({ eventId, purpose: purpose.trim() })}
      shows={(event) => <AnswersBriefly event={event} />}
    >
      <FormGroup label="Why" labelFor="read-why" helperText="For the audit log. No personal data.">
        <InputGroup id="read-why" value={purpose} maxLength={200} onValueChange={setPurpose} autoFocus />
      </FormGroup>
    </Act>
  );
}

/** Hides the responses after the same time as the applicant's details, because they may contain some. */
function AnswersBriefly({ event }: { readonly event: Event }) {
  const answers = useBriefly<Event>();
  const { show } = answers;
  useEffect(() => show(() => Promise.resolve(event)), [event, show]);
  return (
    <ShownBriefly of={answers} label="Answers">
      {(shown) => <Answers event={shown} />}
    </ShownBriefly>
  );
}

const Answers = ({ event: { attempts } }: { readonly event: Event }) =>
  attempts.length === 0 ? (
    <p>There was no attempt yet.</p>
  ) : (
    <ol>
      {attempts.map((attempt) => (
        <li key={attempt.number}>
          {attemptOf(attempt)}
          {attempt.answerErased ? ', its answer was erased' : ''}
          <AnswerHead head={attempt.answerHead} />
        </li>
      ))}
    </ol>
  );

/** Sends a supplier all events whose delivery was exhausted since a time. */
export function RedeliverExhaustedAct(props: EndpointActProps) {
  const { account, environment, onOpen } = props;
  const [moment, setMoment] = useState('');
  const since = timeIn(moment);
  return (
    <Act
      name="Redeliver all exhausted"
      says={`${account.name} is sent the present status of each submission with an event that was given up since then, of 200 submissions at most.`}
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
      shows={(answer) => <Redelivered answer={answer} />}
    >
      <MomentField id={`since-${environment}`} label="Given up since" value={moment} onChange={setMoment} />
    </Act>
  );
}

const Redelivered = ({ answer: { redeliveries, more } }: { readonly answer: RedeliverExhaustedResponse }) => (
  <>
    <p>
      {redeliveries.length === 0
        ? 'Nothing was given up since then.'
        : `The present status of ${counted(redeliveries.length, 'submission')} is sent.`}
    </p>
    {more ? <p>There is more: do it again.</p> : null}
  </>
);

interface TestEventProps {
  readonly submission: SubmissionStatus;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Sends a supplier the present status of a submission as a test. */
export const TestEventAct = ({
  submission: { submissionId, externalReference, environment },
  onOpen,
}: TestEventProps) => (
  <Act
    name="Send a test event"
    says={`The supplier is sent the present status of ${externalReference} once more, as an event like any other.`}
    environment={environment}
    command={`sss events test ${submissionId}`}
    isReady
    onOpen={onOpen}
    run={(idempotencyKey) => webhooks.sendTestEvent({ submissionId, idempotencyKey })}
  />
);
