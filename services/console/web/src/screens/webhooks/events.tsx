import { Anchor, Badge, Drawer, Group, Text, Title } from '@mantine/core';
import {
  DeliveryStateSchema,
  type Event,
  EventChangeSchema,
  WebhookService,
} from '@supplier/proto/webhook/v1/webhook';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { isNotFound, pagesOf } from '../../calls.ts';
import { submissionColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, enumOptions, FilterBar } from '../../components/filter-bar.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { completeList, usePagedList } from '../../components/paged-list.ts';
import { SimpleTable } from '../../components/simple-table.tsx';
import { useEnvironment } from '../../environment.ts';
import { enumLabel } from '../../format.ts';
import type { EnvironmentInUrl } from '../../searches.ts';
import { AttemptBadge, DeliveriesTable, DeliveryBadge, EventActions } from './deliveries-table.tsx';
import { UNDELIVERED_STATES, undeliveredOf } from './endpoint-health.ts';
import { UNDELIVERED_PAGE, useUndelivered } from './use-endpoint-health.ts';

const FEW = 5;

const COLUMNS: readonly Column<Event>[] = [
  timeColumn('Recorded', ({ recordedAt }) => recordedAt),
  { name: 'Event', cell: (event) => <EventName event={event} />, isRowHeader: true },
  submissionColumn('Submission'),
  {
    name: 'Status',
    cell: ({ state, redeliveredAs }) => (
      <Group gap={4}>
        <DeliveryBadge state={state} />
        {redeliveredAs ? <Badge color="gray">Redelivered</Badge> : null}
      </Group>
    ),
    order: ({ state }) => state,
  },
  {
    name: 'Attempts',
    cell: ({ attempts }) => attempts.length,
    order: ({ attempts }) => attempts.length,
    isNumber: true,
    isMinor: true,
  },
  {
    name: 'Last response',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last ? <AttemptBadge attempt={last} /> : '—';
    },
  },
  { name: 'Actions', cell: (event) => <EventActions event={event} /> },
];

/** The name of an event, which opens its attempts. */
function EventName({ event }: { readonly event: Event }) {
  const [opened, setOpened] = useState<Event>();
  // The row may show another event after a refetch, but the drawer must not.
  const shown = opened?.eventId === event.eventId ? event : opened;
  return (
    <>
      <Anchor component="button" type="button" size="sm" onClick={() => setOpened(event)}>
        {enumLabel(EventChangeSchema, event.change)}
      </Anchor>
      <Drawer
        opened={shown !== undefined}
        onClose={() => setOpened(undefined)}
        size="xl"
        title={shown && `Event ${shown.eventId}`}
      >
        {shown ? <DeliveriesTable label="Attempts" events={[shown]} /> : null}
      </Drawer>
    </>
  );
}

const route = getRouteApi('/suppliers/$accountId');

/** The events of a supplier in the environment of the shell, latest first. */
export function SupplierEvents() {
  const { accountId } = route.useParams();
  const { states = [] } = route.useSearch();
  const navigate = route.useNavigate();
  const environment = useEnvironment();
  const request = { accountId, environment, states: [...states] };
  const list = usePagedList(
    pagesOf(WebhookService.method.listEndpointEvents, request),
    ({ events }) => events,
  );
  // Without an endpoint there are no events, which is no error.
  const hasNoEndpoint = list.error !== null && isNotFound(list.error);
  return (
    <>
      <FilterBar>
        <ChoiceFilter
          label="Status"
          options={enumOptions(DeliveryStateSchema)}
          value={states}
          onChange={(next) => void navigate({ search: { tab: 'events', states: next } })}
        />
      </FilterBar>
      <DataTable
        label="Events"
        noun="event"
        columns={COLUMNS}
        list={hasNoEndpoint ? completeList<Event>([]) : list}
        keyOf={({ eventId }) => eventId}
        empty={
          hasNoEndpoint
            ? 'No endpoint, so no events are recorded in this environment. Create one on the Webhooks tab.'
            : 'No events match. Events appear here once the endpoint is enabled and a submission changes.'
        }
      />
    </>
  );
}

interface UndeliveredEventsProps {
  readonly accountId: string;
  readonly environment: EnvironmentInUrl;
}

/** The latest events of an endpoint that failed and were not redelivered, or are pending. */
export function UndeliveredEvents({ accountId, environment }: UndeliveredEventsProps) {
  const { data, error, refetch } = useUndelivered(accountId, environment);
  const events = undeliveredOf(data?.events ?? []).slice(0, FEW);
  return (
    <>
      <Group component="header" justify="space-between" mt="md" mb="xs">
        <Title order={3}>Failed and pending events</Title>
        <Link
          to="/suppliers/$accountId"
          params={{ accountId }}
          search={{ tab: 'events', states: UNDELIVERED_STATES, environment }}
        >
          {
            ({ 1: 'View sandbox events', 2: 'View production events' } as Readonly<Record<number, string>>)[
              environment
            ]
          }
        </Link>
      </Group>
      {error ? <LoadError error={error} isStale={data !== undefined} onRetry={() => void refetch()} /> : null}
      {events.length > 0 ? (
        <SimpleTable
          label="Failed and pending events"
          heads={COLUMNS.map(({ name }) => name)}
          numbers={['Attempts']}
          rows={events.map((event) => COLUMNS.map(({ cell }) => cell(event)))}
        />
      ) : error && !data ? null : (
        <Text size="sm" c="dimmed">
          {data
            ? data.nextPageToken
              ? `None among the latest ${UNDELIVERED_PAGE} undelivered events: all were redelivered.`
              : 'No failed or pending events.'
            : 'Loading…'}
        </Text>
      )}
    </>
  );
}
