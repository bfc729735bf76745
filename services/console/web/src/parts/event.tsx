import {
  DeliveryState,
  DeliveryStateSchema,
  type Event,
  EventChangeSchema,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { Link } from '@tanstack/react-router';
import { useBegun } from '../acts/begun.ts';
import { ReadEventAct, RedeliverEventAct } from '../acts/events.tsx';
import { mayCall } from '../calls.ts';
import { useSession } from '../session.ts';
import { timeOf, wordOf } from '../words.ts';
import { attemptOf } from './attempt.ts';

/** One webhook event: its change, state, attempts and available actions. */
export function EventEntry({
  event: present,
  leads = false,
}: {
  readonly event: Event;
  readonly leads?: boolean;
}) {
  const { roles } = useSession();
  const [event, onOpen] = useBegun(present);
  const { redeliverEvent, getEvent } = WebhookService.method;
  const { submissionId, redeliveredAs, supersededBy, nextAttemptAt } = present;
  const canRedeliver = isUndelivered(event) && mayCall(roles, redeliverEvent);
  const canRead = mayCall(roles, getEvent);
  return (
    <li>
      {wordOf(EventChangeSchema, present.change)}, recorded {timeOf(present.recordedAt)}:{' '}
      <strong>{wordOf(DeliveryStateSchema, present.state)}</strong>
      {nextAttemptAt ? `, next attempt ${timeOf(nextAttemptAt)}` : ''}
      {supersededBy ? `, ${supersededBy} took its place` : ''}
      {redeliveredAs ? `, redelivered as ${redeliveredAs}` : ''} <small>{present.eventId}</small>
      {leads ? (
        <>
          {', of '}
          <Link to="/submissions/$submissionId" params={{ submissionId }}>
            {submissionId}
          </Link>
        </>
      ) : null}
      <ol>
        {present.attempts.map((attempt) => (
          <li key={attempt.number}>{attemptOf(attempt)}</li>
        ))}
      </ol>
      {canRedeliver || canRead ? (
        <p className="of-event">
          {canRedeliver ? <RedeliverEventAct event={event} onOpen={onOpen} /> : null}
          {canRead ? <ReadEventAct event={event} onOpen={onOpen} /> : null}
        </p>
      ) : null}
    </li>
  );
}

const isUndelivered = ({ state, redeliveredAs }: Event) =>
  (state === DeliveryState.EXHAUSTED || state === DeliveryState.EXPIRED) && redeliveredAs === '';
