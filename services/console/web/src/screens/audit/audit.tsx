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
import { timeIn, timestampIn } from '../../dates.ts';
import { capitalize } from '../../format.ts';
import { auditSearch, type Change } from '../../searches.ts';
import { AuditEntryDetails } from './audit-entry.tsx';
import { AuditExport } from './audit-export.tsx';
import { AUDIT } from './audit-texts.ts';

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
        title={AUDIT.title}
        actions={<AuditExport key={`${service} ${since}`} service={service} since={since && timeIn(since)} />}
      />
      <Filters />
      <DataTable
        label={AUDIT.title}
        columns={COLUMNS}
        list={list}
        keyOf={({ sequence }) => String(sequence)}
        empty={AUDIT.empty}
        onOpen={open}
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => open(undefined)}
        title={opened ? AUDIT.entry(opened.action) : ''}
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
        label={AUDIT.service}
        options={SERVICES}
        value={[service]}
        onChange={([value = 'submission']) => change({ service: value })}
        isSingle
        isRequired
      />
      <TextFilter label={AUDIT.action} value={action} onChange={(value) => change({ action: value })} />
      <TextFilter label={AUDIT.actor} value={actor} onChange={(value) => change({ actor: value })} />
      <TextFilter label={AUDIT.target} value={target} onChange={(value) => change({ target: value })} />
      <SupplierFilter value={account} onChange={(value) => change({ account: value })} />
      <TextFilter label={AUDIT.request} value={request} onChange={(value) => change({ request: value })} />
      <DateFilter label={AUDIT.time} value={{ since, until }} onChange={change} hasTime />
    </FilterBar>
  );
}

const timed = (name: 'since' | 'until', text: string | undefined) => {
  const at = timestampIn(text ?? '');
  return at ? { [name]: at } : {};
};

const COLUMNS: readonly Column<AuditEntry>[] = [
  timeColumn(AUDIT.time, ({ at }) => at, { listOrder: 'desc' }),
  textColumn(AUDIT.actor, ({ actor }) => actor),
  textColumn(AUDIT.action, ({ action }) => action),
  idColumn(AUDIT.target, ({ target }) => target),
  textColumn(AUDIT.purpose, ({ purpose, reason }) => purpose || reason),
  {
    name: AUDIT.supplier,
    cell: ({ accountId }) => (accountId === '' ? '' : <SupplierName accountId={accountId} />),
    order: ({ accountId }) => accountId,
    isOptional: true,
  },
  textColumn(AUDIT.roles, ({ roles }) => roles.join(', '), { isOptional: true }),
  { name: AUDIT.request, cell: ({ requestId }) => <RequestLink id={requestId} />, isOptional: true },
];
