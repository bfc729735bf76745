import { Box, Stack, Text } from '@mantine/core';
import { type ListedEndpoint, WebhookService } from '@supplier/proto/webhook/v1/webhook';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { firstPages, keyOf, webhooks } from '../../calls.ts';
import { idColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, FilterBar } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { Panel } from '../../components/panel.tsx';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { SupplierName, useSupplierNames } from '../../components/supplier-name.tsx';
import { useEnvironment } from '../../environment.ts';
import { type EnvironmentInUrl, webhooksSearch } from '../../searches.ts';
import { EndpointBadge, LastSuccess } from './endpoint.tsx';
import { type EndpointHealth, rateOf } from './endpoint-health.ts';
import { endpointsByHealth } from './endpoints-by-health.ts';
import { FailureCause } from './failing-detail.tsx';
import { useEndpointHealth } from './use-endpoint-health.ts';

const route = getRouteApi('/webhooks');
/** As many rows fill the list, which then scrolls. */
const TALL = 50;

/** Lists webhook endpoints of one environment by health, failing ones first. */
export function WebhooksScreen() {
  const { health } = route.useSearch();
  const navigate = route.useNavigate();
  const environment = useEnvironment();
  const list = usePagedList(
    {
      queryKey: keyOf(WebhookService.method.listEndpoints, { environment }, health),
      ask: ({ pageSize, pageToken }, options) =>
        endpointsByHealth(health, pageToken, (part) =>
          webhooks.listEndpoints({ environment, pageSize, ...part }, options),
        ),
    },
    ({ endpoints }) => endpoints,
  );
  return (
    <>
      <PageHeader title="Webhooks">
        <EnvironmentBadge environment={environment} />
      </PageHeader>
      <FilterBar>
        <ChoiceFilter
          label="Health"
          options={[
            { value: 'failing', label: 'Failing' },
            { value: 'disabled', label: 'Disabled' },
          ]}
          value={health ? [health] : []}
          onChange={([value]) => void navigate({ search: webhooksSearch({ health: value }) })}
          isSingle
        />
      </FilterBar>
      <DataTable
        label="Webhooks"
        noun="endpoint"
        columns={COLUMNS}
        list={list}
        keyOf={({ endpoint }) => endpoint?.endpointId ?? ''}
        empty="No endpoints match. Create one on the Webhooks tab of a supplier."
        onOpen={({ endpoint }) =>
          void navigate({
            to: '/suppliers/$accountId',
            params: { accountId: endpoint?.accountId ?? '' },
            search: { tab: 'webhooks' },
          })
        }
      />
      {/* After failing endpoints, the others are loaded, which would move it. */}
      {health || (list.hasMore && list.rows.length < TALL) ? null : (
        <Box mt="md">
          <WithoutEndpoint environment={environment} />
        </Box>
      )}
    </>
  );
}

const COLUMNS: readonly Column<ListedEndpoint>[] = [
  {
    name: 'Status',
    cell: ({ endpoint }) => (endpoint ? <EndpointBadge endpoint={endpoint} /> : null),
  },
  {
    name: 'Supplier',
    cell: ({ endpoint }) => <SupplierName accountId={endpoint?.accountId ?? ''} tab="webhooks" />,
    isRowHeader: true,
  },
  idColumn('URL host', ({ endpoint }) => hostOf(endpoint?.url ?? '')),
  {
    name: 'Cause',
    cell: (listed) => (listed.endpoint?.failingSince ? <FailureCause listed={listed} /> : null),
    width: '12em',
  },
  timeColumn('Failing since', ({ endpoint }) => endpoint?.failingSince),
  {
    name: 'Last success',
    cell: (listed) => <HealthCell listed={listed}>{(health) => <LastSuccess health={health} />}</HealthCell>,
    isOptional: true,
  },
  {
    name: 'Failure rate, 24 hours',
    cell: (listed) => <HealthCell listed={listed}>{rateOf}</HealthCell>,
    isOptional: true,
  },
  {
    name: 'Failed events',
    cell: (listed) => (
      <HealthCell listed={listed}>
        {({ failedEvents, isCut }) => `${failedEvents}${isCut ? '+' : ''}`}
      </HealthCell>
    ),
    isNumber: true,
    isOptional: true,
  },
  { name: 'Pending events', cell: ({ waiting }) => waiting, order: ({ waiting }) => waiting, isNumber: true },
];

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

interface HealthCellProps {
  readonly listed: ListedEndpoint;
  readonly children: (health: EndpointHealth) => ReactNode;
}

/** A value of an endpoint's health, which is loaded for the rows in view. */
function HealthCell({ listed: { endpoint }, children }: HealthCellProps) {
  const { data, error } = useEndpointHealth(endpoint?.accountId ?? '', endpoint?.environment ?? 0, false);
  if (error && !data) return '—';
  return data ? children(data) : 'Loading…';
}

const PAGE = 200;
const MAX_PAGES = 50;

/** The suppliers without an endpoint in an environment, who get no webhooks there. */
function WithoutEndpoint({ environment }: { readonly environment: EnvironmentInUrl }) {
  const names = useSupplierNames();
  const query = useQuery({
    queryKey: keyOf(WebhookService.method.listEndpoints, { environment, pageSize: PAGE }),
    // Up to 50 calls, so not polled.
    refetchInterval: false,
    queryFn: async ({ signal }) => {
      const { pages, hasMore } = await firstPages(MAX_PAGES, (pageToken) =>
        webhooks.listEndpoints({ environment, pageSize: PAGE, pageToken }, { signal }),
      );
      if (hasMore) return null;
      return new Set(pages.flatMap(({ endpoints }) => endpoints.map(({ endpoint }) => endpoint?.accountId)));
    },
  });
  return (
    <Panel title="Suppliers without an endpoint" query={query}>
      {(having) => {
        if (having === null)
          return <Text c="dimmed">Not listed, because there are more than 10,000 endpoints.</Text>;
        const without = [...names.keys()].filter((accountId) => !having.has(accountId));
        if (without.length === 0)
          return <Text c="dimmed">Every supplier has an endpoint in this environment.</Text>;
        return (
          <Stack component="ul" className="items" gap={6}>
            {without.map((accountId) => (
              <li key={accountId}>
                <SupplierName accountId={accountId} tab="webhooks" />
              </li>
            ))}
          </Stack>
        );
      }}
    </Panel>
  );
}
