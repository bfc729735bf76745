import { Button } from '@mantine/core';
import { EnvironmentSchema } from '@supplier/proto/common/v1/status';
import { DeliveryStateSchema, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { RedeliverExhaustedAction } from '../actions/events.tsx';
import { errorMessage, mayCall, webhooks } from '../calls.ts';
import { FilterSelect } from '../components/filter-fields.tsx';
import { enumName } from '../format.ts';
import { useSession } from '../session.ts';
import type { EndpointPlace } from './endpoint-place.ts';
import { EventEntry } from './event.tsx';

const FEW = 20;
/** Maximum page size of the service. */
const MANY = 200;

/**
 * The latest events of an endpoint. They are not reloaded automatically, so that rows don't move while a person reads
 * them.
 */
export function EndpointEvents({ account, environment }: EndpointPlace) {
  const { accountId } = account;
  const { roles } = useSession();
  const [state, setState] = useState(0);
  const [pageSize, setPageSize] = useState(FEW);
  const { data, error, isPending, refetch } = useQuery({
    queryKey: ['endpoint-events', accountId, environment, state, pageSize],
    queryFn: ({ signal }) =>
      webhooks.listEndpointEvents(
        { accountId, environment, states: state === 0 ? [] : [state], pageSize },
        { signal },
      ),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    placeholderData: (before) => before,
  });
  const { redeliverExhausted } = WebhookService.method;
  return (
    <section aria-busy={isPending}>
      <h3>Latest events of {enumName(EnvironmentSchema, environment)}</h3>
      <div className="filters">
        <FilterSelect label="delivery state" schema={DeliveryStateSchema} value={state} onChange={setState} />
        <Button onClick={() => void refetch()}>Refresh</Button>
        {mayCall(roles, redeliverExhausted) ? (
          <RedeliverExhaustedAction account={account} environment={environment} onOpen={() => {}} />
        ) : null}
      </div>
      {error ? <p role="alert">These cannot be shown: {errorMessage(error)}</p> : null}
      {data?.events.length === 0 ? <p>None.</p> : null}
      <ul>
        {data?.events.map((event) => (
          <EventEntry key={event.eventId} event={event} leads />
        ))}
      </ul>
      {data && data.nextPageToken !== '' && pageSize < MANY ? (
        <Button onClick={() => setPageSize(MANY)}>Load more</Button>
      ) : null}
      {data && data.nextPageToken !== '' && pageSize >= MANY ? <p>Only the first {MANY} are shown.</p> : null}
    </section>
  );
}
