import { Code, Text } from '@mantine/core';
import { visibleLines } from '@supplier/lib/text/visible';
import type { Environment } from '@supplier/proto/common/v1/status';
import type { Event } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { submissions, webhooks } from '../../calls.ts';
import { DateTimeField, TextField } from '../../components/fields.tsx';
import { isPurpose, PurposeField } from '../../components/purpose-field.tsx';
import { Revealed } from '../../components/revealed.tsx';
import { useReveal } from '../../components/use-reveal.ts';
import { timeIn, timestampIn } from '../../dates.ts';
import { quoted, UUID, withNoun } from '../../format.ts';
import { formatAttempt } from './attempt.ts';
import { type EndpointActionProps, flagsOf } from './endpoint-actions.tsx';
import { WEBHOOKS } from './webhooks-texts.ts';

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
    name={WEBHOOKS.redeliver}
    description={WEBHOOKS.redeliverEffect(submissionId, withNoun(attempts.length, 'attempt'))}
    environment={environment}
    command={`sss events redeliver ${eventId}`}
    onOpen={onOpen}
    run={(idempotencyKey) => webhooks.redeliverEvent({ eventId, idempotencyKey })}
    toastOf={() => ({ message: WEBHOOKS.redeliveryStarted })}
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
      name={WEBHOOKS.read}
      description={WEBHOOKS.readEffect(submissionId)}
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
    <Revealed of={responses} label={WEBHOOKS.responses}>
      {({ attempts }) =>
        attempts.length === 0 ? (
          <p>{WEBHOOKS.noAttempt}</p>
        ) : (
          attempts.map((attempt) => (
            <Text key={attempt.number} size="sm" mb="xs" component="div">
              {attempt.number}. {formatAttempt(attempt)}
              {attempt.answerErased ? WEBHOOKS.erased : ''}
              <ResponseBody head={attempt.answerHead} />
            </Text>
          ))
        )
      }
    </Revealed>
  );
}

interface ResponseBodyProps {
  readonly head: Uint8Array | undefined;
}

/** The beginning of a receiver's response, as text. */
export const ResponseBody = ({ head }: ResponseBodyProps) =>
  head && head.length > 0 ? (
    <Code block mah="60vh">
      {visibleLines(new TextDecoder().decode(head))}
    </Code>
  ) : null;

/** Sends a supplier all events whose delivery was exhausted since a time. */
export function RedeliverSinceAction(props: EndpointActionProps) {
  const { account, environment, onOpen } = props;
  const [time, setTime] = useState('');
  const since = timeIn(time);
  return (
    <ConfirmDialog
      name={WEBHOOKS.redeliverAll}
      description={WEBHOOKS.redeliverAllEffect(account.name)}
      environment={environment}
      command={`sss events redeliver-since ${flagsOf(props)} --since ${since ?? ''}`}
      isReady={since !== undefined}
      onOpen={onOpen}
      run={(idempotencyKey) =>
        webhooks.redeliverSince({
          accountId: account.accountId,
          environment,
          since: timestampIn(time),
          idempotencyKey,
        })
      }
      renderResult={({ redeliveries, more }) => (
        <p>
          {redeliveries.length === 0
            ? WEBHOOKS.nothingExhausted
            : WEBHOOKS.redelivering(withNoun(redeliveries.length, 'submission'))}{' '}
          {more ? WEBHOOKS.more : ''}
        </p>
      )}
    >
      <DateTimeField path="since" label={WEBHOOKS.since} value={time} onChange={setTime} />
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

/** Sends a supplier the current status of a submission as a test. */
export function TestEventAction({ environment, submission, accountId, onOpen }: TestEventProps) {
  const [openedAt, setOpenedAt] = useState<number>();
  const [entered, setEntered] = useState<string>();
  const { data } = useQuery({
    // The suggestion must not change while the person decides, so each opening of the dialog loads one.
    queryKey: ['latest-submission', accountId, environment, openedAt],
    enabled: openedAt !== undefined && accountId !== undefined,
    meta: { isList: true },
    refetchInterval: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: ({ signal }) =>
      submissions.listSubmissions({ accountId: accountId ?? '', environment, pageSize: 1 }, { signal }),
  });
  const submissionId = submission?.submissionId ?? entered ?? data?.submissions[0]?.submissionId ?? '';
  return (
    <ConfirmDialog
      name={WEBHOOKS.test}
      description={WEBHOOKS.testEffect(submission?.externalReference ?? WEBHOOKS.oneSubmission)}
      environment={environment}
      command={`sss events test ${submissionId}`}
      isReady={UUID.test(submissionId)}
      onOpen={(open) => {
        setOpenedAt(open ? Date.now() : undefined);
        onOpen(open);
      }}
      run={(idempotencyKey) => webhooks.sendTestEvent({ submissionId, idempotencyKey })}
      toastOf={() => ({ message: WEBHOOKS.testSent })}
    >
      {submission ? null : (
        <TextField
          path="submission_id"
          label={WEBHOOKS.testSubmission}
          description={WEBHOOKS.testHelp}
          value={submissionId}
          maxLength={36}
          onChange={setEntered}
        />
      )}
    </ConfirmDialog>
  );
}
