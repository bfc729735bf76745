import { Button, Drawer } from '@mantine/core';
import { STAFF_SERVICES, type StaffService } from '@supplier/lib/rpc/staff-contracts';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { textColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { ChoiceFilter, chipLook, DateFilter, FilterBar, TextFilter } from '../../components/filter-bar.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { RequestLink } from '../../components/request-link.tsx';
import { SupplierFilter } from '../../components/supplier-filter.tsx';
import { timeIn } from '../../dates.ts';
import { capitalize } from '../../format.ts';
import { auditSearch, type Change } from '../../searches.ts';
import { ACTIONS, didOf } from './actions.ts';
import { AuditEntryDetails } from './audit-entry.tsx';
import { AuditExport } from './audit-export.tsx';
import { supplierOf, TargetLink } from './audit-target.tsx';
import type { MergedEntry } from './merged-entries.ts';
import { useAuditLog } from './use-audit-log.ts';

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
