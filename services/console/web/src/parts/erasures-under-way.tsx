import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { people } from '../calls.ts';
import { ageSince } from '../words.ts';
import { Part } from './part.tsx';

const FEW = 20;

/** Erasures in progress. */
export function ErasuresUnderWayPart() {
  const query = useQuery({
    queryKey: ['erasures-under-way'],
    queryFn: ({ signal }) => people.listErasures({ inProgress: true, pageSize: FEW }, { signal }),
  });
  return (
    <Part title="Erasures that are not complete" query={query}>
      {({ erasures: found, nextPageToken }) =>
        found.length === 0 ? (
          <p>None.</p>
        ) : (
          <ul>
            {found.map(({ erasureId, requestedAt, completed, submissions: all }) => (
              <li key={erasureId}>
                <Link to="/people" search={{ erasure: erasureId }}>
                  {erasureId}
                </Link>{' '}
                for {ageSince(requestedAt, Date.now())}: {completed} of {all}
              </li>
            ))}
            {nextPageToken === '' ? null : <li>and more</li>}
          </ul>
        )
      }
    </Part>
  );
}
