import { Code, Text } from '@mantine/core';
import { visibleLines } from '@supplier/lib/text/visible';
import type { Event } from '@supplier/proto/webhook/v1/webhook';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { webhooks } from '../../calls.ts';
import { isPurpose, PurposeField } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { quoted, withNoun } from '../../format.ts';
import { formatAttempt } from './attempt.ts';

interface EventActionProps {
  readonly event: Event;
  readonly onOpen: (isOpen: boolean) => void;
}

/** Sends a supplier an event again after its delivery failed. */
export const RedeliverEventAction = ({
  event: { eventId, submissionId, environment, attempts },
  onOpen,
}: EventActionProps) => (
  <ConfirmDialog
    name="Redeliver"
    description={`Sends the current status of ${submissionId} as a new event that replaces this one, which failed after ${withNoun(attempts.length, 'attempt')}.`}
    environment={environment}
    command={`sss events redeliver ${eventId}`}
    onOpen={onOpen}
    run={(idempotencyKey) => webhooks.redeliverEvent({ eventId, idempotencyKey })}
    toastOf={() => ({ message: 'Redelivery started' })}
  />
);

/**
 * Reads the receiver's responses, which may contain a link of the applicant's. Reading them requires a purpose and is
 * audited.
 */
export function ReadEventAction({ event: { eventId, submissionId, environment }, onOpen }: EventActionProps) {
  const [purpose, setPurpose] = useState('');
  return (
    <ConfirmDialog
      name="Read responses"
      description={`Reveals the start of each response to this event of ${submissionId}. It may contain personal data. Recorded in the audit log with your purpose.`}
      environment={environment}
      command={`sss events show ${eventId} --purpose ${quoted(purpose.trim())}`}
      isReady={isPurpose(purpose)}
      onOpen={onOpen}
      run={() => webhooks.getEvent({ eventId, purpose: purpose.trim() })}
      renderResult={(event) => <RevealedResponses event={event} />}
    >
      <PurposeField value={purpose} onChange={setPurpose} autoFocus />
    </ConfirmDialog>
  );
}

/** Hides the responses after the same time as the applicant's details, because they may contain some. */
function RevealedResponses({ event }: { readonly event: Event }) {
  const responses = useReveal<Event>();
  const { show } = responses;
  useEffect(() => show(() => Promise.resolve(event)), [event, show]);
  return (
    <Revealed of={responses} label="Responses">
      {({ attempts }) =>
        attempts.length === 0 ? (
          <p>No attempts yet.</p>
        ) : (
          attempts.map((attempt) => (
            <Text key={attempt.number} size="sm" mb="xs" component="div">
              {attempt.number}. {formatAttempt(attempt)}
              {attempt.answerErased ? ', response erased' : ''}
              <ResponseBody head={attempt.answerHead} />
            </Text>
          ))
        )
      }
    </Revealed>
  );
}

/** The beginning of a receiver's response, as text. */
export const ResponseBody = ({ head }: { readonly head: Uint8Array | undefined }) =>
  head && head.length > 0 ? (
    <Code block mah="60vh">
      {visibleLines(new TextDecoder().decode(head))}
    </Code>
  ) : null;
