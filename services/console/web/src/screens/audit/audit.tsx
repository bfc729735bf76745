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
import { AUDIT } from './audit-texts.ts';
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
        title={AUDIT.title}
        actions={<AuditExport key={`${service} ${since}`} chosen={service} since={since && timeIn(since)} />}
      />
      <Filters />
      {[...failed].map(([missing, error]) => (
        <LoadError
          key={missing}
          error={error}
          title={AUDIT.missing(missing)}
          {...(list.refresh ? { onRetry: list.refresh } : {})}
        />
      ))}
      <DataTable
        label={AUDIT.title}
        columns={COLUMNS}
        list={list}
        keyOf={(row) => `${row.service} ${row.entry.sequence}`}
        empty={failed.size > 0 ? AUDIT.emptyOfOthers : AUDIT.empty}
        onOpen={open}
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => open(undefined)}
        title={opened ? AUDIT.entry(didOf(opened.entry.action)) : ''}
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
        {AUDIT.views}
      </Button>
      <ChoiceFilter
        label={AUDIT.action}
        options={ACTIONS}
        value={action ?? []}
        onChange={(value) => change({ action: value, views: undefined })}
      />
      <TextFilter label={AUDIT.actor} value={actor} onChange={(value) => change({ actor: value })} />
      <TextFilter label={AUDIT.targetId} value={target} onChange={(value) => change({ target: value })} />
      <SupplierFilter value={account} onChange={(value) => change({ account: value })} />
      <TextFilter label={AUDIT.request} value={request} onChange={(value) => change({ request: value })} />
      <DateFilter label={AUDIT.time} value={{ since, until }} onChange={change} hasTime />
      <ChoiceFilter
        label={AUDIT.service}
        options={SERVICES}
        value={service ? [service] : []}
        onChange={([value]) => change({ service: value })}
        isSingle
      />
    </FilterBar>
  );
}

const COLUMNS: readonly Column<Row>[] = [
  timeColumn(AUDIT.time, ({ entry }) => entry.at, { listOrder: 'desc' }),
  textColumn(AUDIT.actor, ({ entry }) => entry.actor),
  textColumn(AUDIT.action, ({ entry }) => didOf(entry.action)),
  { name: AUDIT.target, cell: (row) => <TargetLink {...row} />, order: ({ entry }) => entry.target },
  {
    name: AUDIT.supplier,
    cell: ({ entry }) => supplierOf(entry),
    order: ({ entry }) => entry.accountId,
    isMinor: true,
  },
  textColumn(AUDIT.purpose, ({ entry }) => entry.purpose || entry.reason),
  textColumn(AUDIT.service, ({ service }) => capitalize(service), { isOptional: true }),
  textColumn(AUDIT.roles, ({ entry }) => entry.roles.join(', '), { isOptional: true }),
  {
    name: AUDIT.request,
    cell: ({ entry }) => <RequestLink id={entry.requestId} />,
    isOptional: true,
  },
];
