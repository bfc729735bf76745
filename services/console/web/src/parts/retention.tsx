import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { people } from '../calls.ts';
import { Panel } from '../components/panel.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { EnvironmentBadge } from '../components/status-badge.tsx';

const DAY_MS = 86_400_000;
const MOST_DAYS = 3_650;

/** Previews what retention will erase. It erases nothing. */
export function RetentionPanel() {
  const [days, setDays] = useState(30);
  const query = useQuery({
    queryKey: ['retention', days],
    refetchInterval: false,
    queryFn: ({ signal }) =>
      people.previewRetention({ at: timestampFromDate(new Date(Date.now() + days * DAY_MS)) }, { signal }),
  });
  return (
    <>
      <Panel title="Retention" query={query}>
        {({ groups, count, atLeast, firstIds, acceptedDays, notAcceptedDays }) => (
          <>
            <p>
              Accepted applicants are kept for {acceptedDays} days, others for {notAcceptedDays}. Within{' '}
              {days} days from now {atLeast ? 'at least ' : ''}
              {count} {count === 1 ? 'is' : 'are'} erased.
            </p>
            {groups.length === 0 ? null : (
              <ScrollRegion label="Table: next erasures by retention">
                <table className="table" aria-label="Next erasures by retention">
                  <thead>
                    <tr>
                      <th scope="col">account</th>
                      <th scope="col">environment</th>
                      <th scope="col">decided in</th>
                      <th scope="col">accepted</th>
                      <th scope="col">count</th>
                    </tr>
                  </thead>
                  <tbody>
                    {groups.map(({ accountId, environment, month, accepted, count: some }) => (
                      <tr key={[accountId, environment, month, accepted].join()}>
                        <th scope="row">{accountId}</th>
                        <td>
                          <EnvironmentBadge environment={environment} />
                        </td>
                        <td>{month}</td>
                        <td>{accepted ? 'yes' : 'no'}</td>
                        <td>{some}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </ScrollRegion>
            )}
            {firstIds.length === 0 ? null : (
              <p>
                First:{' '}
                {firstIds.map((submissionId) => (
                  <Link key={submissionId} to="/submissions/$submissionId" params={{ submissionId }}>
                    {submissionId}{' '}
                  </Link>
                ))}
              </p>
            )}
          </>
        )}
      </Panel>
      <form
        className="asks"
        onSubmit={(event) => {
          event.preventDefault();
          const stated = Number(new FormData(event.currentTarget).get('days'));
          if (stated >= 0 && stated <= MOST_DAYS) setDays(Math.floor(stated));
        }}
      >
        <TextInput
          size="xs"
          label="in days"
          name="days"
          type="number"
          min={0}
          max={MOST_DAYS}
          defaultValue={days}
        />
        <Button type="submit">Look ahead</Button>
      </form>
    </>
  );
}
