import {
  DeliveryState,
  DeliveryStateSchema,
  type Event,
  EventChangeSchema,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { Link } from '@tanstack/react-router';
import { ReadEventAction, RedeliverEventAction } from '../actions/events.tsx';
import { useFrozen } from '../actions/use-frozen.ts';
import { mayCall } from '../calls.ts';
import { enumName, formatTime } from '../format.ts';
import { useSession } from '../session.ts';
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
  const [event, onOpen] = useFrozen(present);
  const { redeliverEvent, getEvent } = WebhookService.method;
  const { submissionId, redeliveredAs, supersededBy, nextAttemptAt } = present;
  const canRedeliver = isUndelivered(event) && mayCall(roles, redeliverEvent);
  const canRead = mayCall(roles, getEvent);
  return (
    <li>
      {enumName(EventChangeSchema, present.change)}, recorded {formatTime(present.recordedAt)}:{' '}
      <strong>{enumName(DeliveryStateSchema, present.state)}</strong>
      {nextAttemptAt ? `, next attempt ${formatTime(nextAttemptAt)}` : ''}
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
          {canRedeliver ? <RedeliverEventAction event={event} onOpen={onOpen} /> : null}
          {canRead ? <ReadEventAction event={event} onOpen={onOpen} /> : null}
        </p>
      ) : null}
    </li>
  );
}

const isUndelivered = ({ state, redeliveredAs }: Event) =>
  (state === DeliveryState.EXHAUSTED || state === DeliveryState.EXPIRED) && redeliveredAs === '';
