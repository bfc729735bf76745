import type { Environment } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../calls.ts';
import { ageSince, counted } from '../words.ts';
import { EnvironmentMark } from './marks.tsx';
import { Part } from './part.tsx';
import { SubmissionsLink } from './submissions-link.tsx';

const FEW = 20;

/** Endpoints whose deliveries are failing. */
export function FailingEndpointsPart({ environment }: { readonly environment: Environment }) {
  const query = useQuery({
    queryKey: ['failing-endpoints', environment],
    queryFn: ({ signal }) =>
      webhooks.listEndpoints({ environment, failing: true, pageSize: FEW }, { signal }),
  });
  return (
    <Part title="Endpoints that fail" query={query}>
      {({ endpoints, nextPageToken }) =>
        endpoints.length === 0 ? (
          <p>None: every endpoint took its latest webhook.</p>
        ) : (
          <>
            <ul>
              {endpoints.map(({ endpoint, waiting }) =>
                endpoint ? (
                  <li key={endpoint.endpointId}>
                    <EnvironmentMark environment={endpoint.environment} /> {endpoint.url}:{' '}
                    {counted(endpoint.failedAttempts, 'failed attempt')} for{' '}
                    {ageSince(endpoint.failingSince, Date.now())},{' '}
                    {waiting === 100 ? '100 events or more' : counted(waiting, 'event')} waiting. Account{' '}
                    <SubmissionsLink search={{ account: endpoint.accountId }}>
                      {endpoint.accountId}
                    </SubmissionsLink>
                  </li>
                ) : null,
              )}
            </ul>
            {nextPageToken === '' ? null : <p>There are more: sss endpoints list --failing --all</p>}
          </>
        )
      }
    </Part>
  );
}
