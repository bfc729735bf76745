import { type Attempt, DeliveryStateSchema, EventChangeSchema } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../calls.ts';
import { timeOf, wordOf } from '../words.ts';
import { Part } from './part.tsx';

/** The webhooks of a submission, and each attempt to deliver them with its phases. */
export function DeliveriesPart({ submissionId }: { readonly submissionId: string }) {
  const query = useQuery({
    queryKey: ['events', submissionId],
    queryFn: ({ signal }) => webhooks.listEvents({ submissionId }, { signal }),
  });
  return (
    <Part title="Webhooks" query={query} nothing="No webhook was recorded for it.">
      {({ events }) =>
        events.length === 0 ? (
          <p>No webhook was recorded for it.</p>
        ) : (
          <ul>
            {events.map((event) => (
              <li key={event.eventId}>
                {wordOf(EventChangeSchema, event.change)}, recorded {timeOf(event.recordedAt)}:{' '}
                <strong>{wordOf(DeliveryStateSchema, event.state)}</strong>
                {event.nextAttemptAt ? `, next attempt ${timeOf(event.nextAttemptAt)}` : ''}{' '}
                <small>{event.eventId}</small>
                <ol>
                  {event.attempts.map((attempt) => (
                    <li key={attempt.number}>{sentenceFor(attempt)}</li>
                  ))}
                </ol>
              </li>
            ))}
          </ul>
        )
      }
    </Part>
  );
}

function sentenceFor(attempt: Attempt): string {
  const { startedAt, statusCode, errorClass, dnsMs, connectMs, tlsMs, statusMs, resolvedIp } = attempt;
  const phases = Object.entries({ dns: dnsMs, connect: connectMs, tls: tlsMs, answer: statusMs })
    .flatMap(([name, ms]) => (ms === undefined ? [] : [`${name} ${ms.toFixed(1)} ms`]))
    .join(', ');
  const end =
    statusCode === undefined
      ? errorClass || 'under way'
      : `${statusCode}${errorClass ? ` (${errorClass})` : ''}`;
  return `${timeOf(startedAt)}: ${end}${resolvedIp ? ` from ${resolvedIp}` : ''}${phases ? `, ${phases}` : ''}`;
}
