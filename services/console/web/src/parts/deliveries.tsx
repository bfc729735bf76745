import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../calls.ts';
import { everyMs } from '../queries.ts';
import { EventEntry } from './event.tsx';
import { Part } from './part.tsx';

/** The webhook events of a submission, and each delivery attempt with its phases. */
export function DeliveriesPart({
  submissionId,
  lookMs,
}: {
  readonly submissionId: string;
  readonly lookMs: number;
}) {
  const query = useQuery({
    queryKey: ['events', submissionId],
    refetchInterval: everyMs(lookMs),
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
              <EventEntry key={event.eventId} event={event} />
            ))}
          </ul>
        )
      }
    </Part>
  );
}
