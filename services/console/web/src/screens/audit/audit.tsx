import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Drawer } from '@mantine/core';
import { STAFF_SERVICES } from '@supplier/lib/rpc/staff-contracts';
import type { AuditEntry } from '@supplier/proto/audit/v1/audit';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { audits } from '../../calls.ts';
import { idColumn, textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, DateFilter, FilterBar, TextFilter } from '../../components/filter-bar.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { RequestLink } from '../../components/request-link.tsx';
import { SupplierFilter } from '../../components/supplier-filter.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { timeIn } from '../../dates.ts';
import { capitalize } from '../../format.ts';
import { auditSearch, type Change } from '../../searches.ts';
import { AuditEntryDetails } from './audit-entry.tsx';
import { AuditExport } from './audit-export.tsx';

const route = getRouteApi('/audit');
const SERVICES = STAFF_SERVICES.map((value) => ({ value, label: capitalize(value) }));

/** Lists a service's audit log, newest first, with filters. */
export function AuditScreen() {
  const search = route.useSearch();
  const { service = 'submission', target, actor, action, account, request, since, until } = search;
  const filters = {
    ...(target ? { target } : {}),
    ...(actor ? { actor } : {}),
    ...(action ? { action } : {}),
    ...(account ? { accountId: account } : {}),
    ...(request ? { requestId: request } : {}),
    ...timed('since', since),
    ...timed('until', until),
  };
  const list = usePagedList(
    ['audit', search],
    (page, options) => audits[service].listAudit({ ...filters, ...page }, options),
    ({ entries }) => entries,
  );
  const [opened, open] = useState<AuditEntry>();
  return (
    <>
      <PageHeader
        title="Audit log"
        actions={<AuditExport key={`${service} ${since}`} service={service} since={since && timeIn(since)} />}
      />
      <Filters />
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        list={list}
        keyOf={({ sequence }) => String(sequence)}
        empty="No entries match. Change or remove a filter."
        onOpen={open}
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => open(undefined)}
        title={opened ? `Entry: ${opened.action}` : ''}
      >
        {opened ? <AuditEntryDetails entry={opened} /> : null}
      </Drawer>
    </>
  );
}

function Filters() {
  const { service = 'submission', target, actor, action, account, request, since, until } = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: Change<ReturnType<typeof auditSearch>>) =>
    void navigate({ search: (before) => auditSearch({ ...before, ...part }) });
  return (
    <FilterBar>
      <ChoiceFilter
        label="Service"
        options={SERVICES}
        value={[service]}
        onChange={([value = 'submission']) => change({ service: value })}
        isSingle
        isRequired
      />
      <TextFilter label="Action" value={action} onChange={(value) => change({ action: value })} />
      <TextFilter label="Actor" value={actor} onChange={(value) => change({ actor: value })} />
      <TextFilter label="Target" value={target} onChange={(value) => change({ target: value })} />
      <SupplierFilter value={account} onChange={(value) => change({ account: value })} />
      <TextFilter label="Request ID" value={request} onChange={(value) => change({ request: value })} />
      <DateFilter label="Time" value={{ since, until }} onChange={change} hasTime />
    </FilterBar>
  );
}

const timed = (name: 'since' | 'until', text: string | undefined) => {
  const at = timeIn(text ?? '');
  return at ? { [name]: timestampFromDate(new Date(at)) } : {};
};

const COLUMNS: readonly Column<AuditEntry>[] = [
  timeColumn('Time', ({ at }) => at, { listOrder: 'desc' }),
  textColumn('Actor', ({ actor }) => actor),
  textColumn('Action', ({ action }) => action),
  idColumn('Target', ({ target }) => target),
  textColumn('Purpose or reason', ({ purpose, reason }) => purpose || reason),
  {
    name: 'Supplier',
    cell: ({ accountId }) => (accountId === '' ? '' : <SupplierName accountId={accountId} />),
    order: ({ accountId }) => accountId,
    isOptional: true,
  },
  textColumn('Roles', ({ roles }) => roles.join(', '), { isOptional: true }),
  { name: 'Request ID', cell: ({ requestId }) => <RequestLink id={requestId} />, isOptional: true },
];
