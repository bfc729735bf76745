import { Button, Code, Drawer, Stack } from '@mantine/core';
import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { visible, visibleLines } from '@supplier/lib/text/visible';
import { AuditService } from '@supplier/proto/audit/v1/audit';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { clientOf, keyOf } from '../../calls.ts';
import { textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Facts } from '../../components/facts.tsx';
import { ChoiceFilter, chipLook, DateFilter, FilterBar, TextFilter } from '../../components/filter-bar.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { Mono } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { MAX_ROWS, notRepeated, type PagedList, useLoadedPages } from '../../components/paged-list.ts';
import { PanelFrame } from '../../components/panel.tsx';
import { RequestLink } from '../../components/request-link.tsx';
import { SupplierFilter } from '../../components/supplier-filter.tsx';
import { ExactTime } from '../../components/time.tsx';
import { timeIn, timestampIn } from '../../dates.ts';
import { capitalize, formatJson } from '../../format.ts';
import { type AuditSearch, auditSearch, type Change } from '../../searches.ts';
import { ACTIONS, actionsFor, didOf } from './actions.ts';
import { AuditExport } from './audit-export.tsx';
import { supplierOf, TargetLink } from './audit-target.tsx';
import { firstPage, isLastPage, type MergedEntry, nextPage } from './merged-entries.ts';

const route = getRouteApi('/audit');
const SERVICES = STAFF_SERVICES.map((value) => ({ value, label: capitalize(value) }));
type Row = MergedEntry<StaffService>;

/** Lists who did what, newest first, with filters. */
export function AuditScreen() {
  const search = route.useSearch();
  const { service, since } = search;
  const { list, failed } = useAuditLog(search);
  const [opened, open] = useState<Row>();
  return (
    <>
      <PageHeader
        title="Audit log"
        actions={<AuditExport key={`${service} ${since}`} chosen={service} since={since && timeIn(since)} />}
      />
      <Filters />
      {[...failed].map(([missing, error]) => (
        <LoadError
          key={missing}
          error={error}
          title={`Entries of the ${missing} service are missing`}
          {...(list.refresh ? { onRetry: list.refresh } : {})}
        />
      ))}
      <DataTable
        label="Audit log"
        noun="entry"
        plural="entries"
        columns={COLUMNS}
        list={list}
        keyOf={(row) => `${row.service} ${row.entry.sequence}`}
        empty={
          failed.size > 0
            ? 'No entries of the other services match.'
            : 'No entries match. Change or remove a filter.'
        }
        onOpen={open}
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => open(undefined)}
        title={opened ? `Entry: ${didOf(opened.entry.action)}` : ''}
      >
        {opened ? <AuditEntryDetails {...opened} /> : null}
      </Drawer>
    </>
  );
}

function Filters() {
  const { service, target, actor, action, views, account, request, since, until } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Change<ReturnType<typeof auditSearch>>) =>
    void navigate({ search: (before) => auditSearch({ ...before, ...part }) });
  return (
    <FilterBar>
      <Button
        size="compact-sm"
        fw={500}
        c={views ? 'var(--blue)' : 'var(--gray)'}
        aria-pressed={views !== undefined}
        onClick={() => change({ views: views ? undefined : 'personal', action: undefined })}
        {...chipLook(views !== undefined)}
      >
        Views of personal data
      </Button>
      <ChoiceFilter
        label="Action"
        options={ACTIONS}
        value={action ?? []}
        onChange={(value) => change({ action: value, views: undefined })}
      />
      <TextFilter label="Actor" value={actor} onChange={(value) => change({ actor: value })} />
      <TextFilter label="Record ID" value={target} onChange={(value) => change({ target: value })} />
      <SupplierFilter value={account} onChange={(value) => change({ account: value })} />
      <TextFilter label="Request ID" value={request} onChange={(value) => change({ request: value })} />
      <DateFilter label="Time" value={{ since, until }} onChange={change} hasTime />
      <ChoiceFilter
        label="Service"
        options={SERVICES}
        value={service ? [service] : []}
        onChange={([value]) => change({ service: value })}
        isSingle
      />
    </FilterBar>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  timeColumn('Time', ({ entry }) => entry.at, { listOrder: 'desc' }),
  textColumn('Actor', ({ entry }) => entry.actor),
  textColumn('Action', ({ entry }) => didOf(entry.action)),
  { name: 'Record', cell: (row) => <TargetLink {...row} />, order: ({ entry }) => entry.target },
  {
    name: 'Supplier',
    cell: ({ entry }) => supplierOf(entry),
    order: ({ entry }) => entry.accountId,
    isMinor: true,
  },
  textColumn('Purpose or reason', ({ entry }) => entry.purpose || entry.reason),
  textColumn('Service', ({ service }) => capitalize(service), { isOptional: true }),
  textColumn('Roles', ({ entry }) => entry.roles.join(', '), { isOptional: true }),
  {
    name: 'Request ID',
    cell: ({ entry }) => <RequestLink id={entry.requestId} />,
    isOptional: true,
  },
];

const PAGE = 100;

interface AuditLog {
  readonly list: PagedList<MergedEntry<StaffService>>;
  /** Services whose entries are missing, with their errors. */
  readonly failed: ReadonlyMap<StaffService, unknown>;
}

/** Loads the entries of one service, or of all of them by time. */
function useAuditLog(search: AuditSearch): AuditLog {
  const { service, target = '', actor = '', account = '', request: requestId = '' } = search;
  const [since, until] = [timestampIn(search.since ?? ''), timestampIn(search.until ?? '')];
  const times = { ...(since ? { since } : {}), ...(until ? { until } : {}) };
  const request = { target, actor, accountId: account, requestId, ...times, actions: actionsFor(search) };
  const query = useInfiniteQuery({
    queryKey: keyOf(AuditService.method.listAudit, request, service),
    queryFn: ({ pageParam, signal }) =>
      nextPage(pageParam, PAGE, (of, pageToken) =>
        clientOf(AuditService, of).listAudit({ ...request, pageSize: PAGE, pageToken }, { signal }),
      ),
    initialPageParam: firstPage<StaffService>(service ? [service] : STAFF_SERVICES),
    getNextPageParam: (last, pages) =>
      isLastPage(last) || pages.length * PAGE >= MAX_ROWS ? undefined : last,
    meta: { isList: true },
    ...notRepeated,
  });
  return { list: useLoadedPages(query), failed: query.data?.pages.at(-1)?.failed ?? new Map() };
}

/** Everything that an audit entry records. */
function AuditEntryDetails({ service, entry }: MergedEntry<StaffService>) {
  const { at, actor, issuer, roles, action, target, purpose, reason, requestId } = entry;
  const text = (name: string, value: string) =>
    value === '' ? undefined : ([name, visible(value)] as const);
  const sealed = entry.position !== 0n;
  return (
    <Stack gap="md">
      <Facts
        facts={[
          ['Time', <ExactTime key="time" at={at} />],
          text('Actor', actor),
          text('Issuer', issuer),
          text('Roles', roles.join(', ')),
          text('Action', didOf(action)),
          text('Action in the log', action),
          text('Service', capitalize(service)),
          ['Record', <TargetLink key="target" service={service} entry={entry} />],
          text('Record ID', target),
          ['Supplier', supplierOf(entry)],
          text('Purpose or reason', purpose || reason),
          requestId === '' ? undefined : ['Request ID', <RequestLink key="request" id={requestId} />],
          ['Chain position', sealed ? String(entry.position) : 'Not sealed yet'],
          sealed ? ['Sealed', <ExactTime key="sealed" at={entry.sealedAt} />] : undefined,
          sealed ? ['SHA-256', <Mono key="hash">{hexOf(entry.hash)}</Mono>] : undefined,
        ]}
      />
      <JsonPanel title="Before" json={entry.beforeJson} />
      <JsonPanel title="After" json={entry.afterJson} />
    </Stack>
  );
}

const hexOf = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const JsonPanel = ({ title, json }: { readonly title: string; readonly json: string }) =>
  json === '' ? null : (
    <PanelFrame title={title}>
      <Code block style={{ whiteSpace: 'pre-wrap' }}>
        {visibleLines(formatJson(json))}
      </Code>
    </PanelFrame>
  );
