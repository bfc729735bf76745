import { Box } from '@mantine/core';
import type { ListedEndpoint } from '@supplier/proto/webhook/v1/webhook';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { webhooks } from '../../calls.ts';
import { idColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, FilterBar } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { EnvironmentBadge } from '../../components/status-badge.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { useEnvironment } from '../../environment.ts';
import { webhooksSearch } from '../../searches.ts';
import { EndpointBadge, LastSuccess } from './endpoint.tsx';
import { type EndpointHealth, rateOf } from './endpoint-health.ts';
import { endpointsByHealth } from './endpoints-by-health.ts';
import { FailureCause } from './failing-detail.tsx';
import { useEndpointHealth } from './use-endpoint-health.ts';
import { WEBHOOKS } from './webhooks-texts.ts';
import { WithoutEndpoint } from './without-endpoint.tsx';

const route = getRouteApi('/webhooks');
/** As many rows fill the list, which then scrolls. */
const TALL = 50;

/** Lists webhook endpoints of one environment by health, failing ones first. */
export function WebhooksScreen() {
  const { health } = route.useSearch();
  const navigate = route.useNavigate();
  const environment = useEnvironment();
  const list = usePagedList(
    ['endpoints-by-health', environment, health],
    ({ pageSize, pageToken }, options) =>
      endpointsByHealth(health, pageToken, (part) =>
        webhooks.listEndpoints({ environment, pageSize, ...part }, options),
      ),
    ({ endpoints }) => endpoints,
  );
  return (
    <>
      <PageHeader title={WEBHOOKS.title}>
        <EnvironmentBadge environment={environment} />
      </PageHeader>
      <FilterBar>
        <ChoiceFilter
          label={WEBHOOKS.health}
          options={[
            { value: 'failing', label: WEBHOOKS.failing },
            { value: 'disabled', label: WEBHOOKS.disabled },
          ]}
          value={health ? [health] : []}
          onChange={([value]) => void navigate({ search: webhooksSearch({ health: value }) })}
          isSingle
        />
      </FilterBar>
      <DataTable
        label={WEBHOOKS.title}
        columns={COLUMNS}
        list={list}
        keyOf={({ endpoint }) => endpoint?.endpointId ?? ''}
        empty={WEBHOOKS.empty}
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
    name: WEBHOOKS.status,
    cell: ({ endpoint }) => (endpoint ? <EndpointBadge endpoint={endpoint} /> : null),
  },
  {
    name: WEBHOOKS.supplier,
    cell: ({ endpoint }) => <SupplierName accountId={endpoint?.accountId ?? ''} tab="webhooks" />,
    isRowHeader: true,
  },
  idColumn(WEBHOOKS.host, ({ endpoint }) => hostOf(endpoint?.url ?? '')),
  {
    name: WEBHOOKS.cause,
    cell: (listed) => (listed.endpoint?.failingSince ? <FailureCause listed={listed} /> : null),
    width: '12em',
  },
  timeColumn(WEBHOOKS.failingSince, ({ endpoint }) => endpoint?.failingSince),
  {
    name: WEBHOOKS.lastSuccess,
    cell: (listed) => <HealthCell listed={listed}>{(health) => <LastSuccess health={health} />}</HealthCell>,
    isOptional: true,
  },
  {
    name: WEBHOOKS.failureRate,
    cell: (listed) => <HealthCell listed={listed}>{rateOf}</HealthCell>,
    isOptional: true,
  },
  {
    name: WEBHOOKS.failedEvents,
    cell: (listed) => (
      <HealthCell listed={listed}>
        {({ failedEvents, isCut }) => `${failedEvents}${isCut ? '+' : ''}`}
      </HealthCell>
    ),
    isNumber: true,
    isOptional: true,
  },
  { name: WEBHOOKS.pending, cell: ({ waiting }) => waiting, order: ({ waiting }) => waiting, isNumber: true },
];

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url);

interface HealthCellProps {
  readonly listed: ListedEndpoint;
  readonly children: (health: EndpointHealth) => ReactNode;
}

/** A value of an endpoint's health, which is loaded for the rows in view. */
function HealthCell({ listed: { endpoint }, children }: HealthCellProps) {
  const { data, error } = useEndpointHealth(endpoint?.accountId ?? '', endpoint?.environment ?? 0, false);
  if (error && !data) return WEBHOOKS.none;
  return data ? children(data) : WEBHOOKS.loading;
}
