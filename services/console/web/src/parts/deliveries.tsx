import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../calls.ts';
import { EventEntry } from './event.tsx';
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
              <EventEntry key={event.eventId} event={event} />
            ))}
          </ul>
        )
      }
    </Part>
  );
}
