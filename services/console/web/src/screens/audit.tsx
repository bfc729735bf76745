import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { NativeSelect, TextInput } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import type { AuditEntry } from '@supplier/proto/audit/v1/audit';
import { getRouteApi } from '@tanstack/react-router';
import { audits } from '../calls.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { FilterText } from '../components/filter-fields.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { usePagedList } from '../components/paged-list.ts';
import { RequestLink } from '../components/request-link.tsx';
import { formatTime } from '../format.ts';
import { AuditExport } from '../parts/audit-export.tsx';
import { AUDITED, type AuditSearch, auditSearch, timeIn } from './audit-search.ts';

const route = getRouteApi('/audit');

/** Lists a service's audit log, newest first, with filters. */
export function AuditScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { service = 'submission', target, actor, action, account, request, since, until } = search;
  const list = usePagedList(['audit', search], async (page, signal) => {
    const { entries: rows, nextPageToken: next } = await audits[service].listAudit(
      {
        ...(target ? { target } : {}),
        ...(actor ? { actor } : {}),
        ...(action ? { action } : {}),
        ...(account ? { accountId: account } : {}),
        ...(request ? { requestId: request } : {}),
        ...timed('since', since),
        ...timed('until', until),
        ...page,
      },
      { signal },
    );
    return { rows, next };
  });
  const change = (part: { readonly [Name in keyof AuditSearch]: string }) =>
    void navigate({ search: (before: AuditSearch) => auditSearch({ ...before, ...part }) });
  return (
    <>
      <PageHeader title="Audit log" />
      <div className="filters">
        <NativeSelect
          size="xs"
          label="service"
          value={service}
          onChange={(event) => change({ service: event.target.value })}
        >
          {AUDITED.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </NativeSelect>
        <FilterText label="target" value={target} onChange={(value) => change({ target: value })} />
        <FilterText label="actor" value={actor} onChange={(value) => change({ actor: value })} />
        <FilterText label="action" value={action} onChange={(value) => change({ action: value })} />
        <FilterText label="account" value={account} onChange={(value) => change({ account: value })} />
        <FilterText label="request" value={request} onChange={(value) => change({ request: value })} />
        <Time label="since (UTC)" value={since} onChange={(value) => change({ since: value })} />
        <Time label="before (UTC)" value={until} onChange={(value) => change({ until: value })} />
      </div>
      <AuditExport key={`${service} ${since}`} service={service} since={since ? timeIn(since) : undefined} />
      <DataTable
        label="Audit log"
        columns={COLUMNS}
        list={list}
        keyOf={({ sequence }) => String(sequence)}
        empty="No matches. Change or remove a filter."
      />
    </>
  );
}

const timed = (name: 'since' | 'until', text: string | undefined) => {
  const at = text ? timeIn(text) : undefined;
  return at ? { [name]: timestampFromDate(at) } : {};
};

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'at', cell: ({ at }) => formatTime(at) },
  { name: 'actor', cell: ({ actor }) => visible(actor), order: ({ actor }) => actor },
  { name: 'action', cell: ({ action }) => action, order: ({ action }) => action },
  { name: 'target', cell: ({ target }) => visible(target), order: ({ target }) => target },
  { name: 'purpose or reason', cell: ({ purpose, reason }) => visible(purpose || reason) },
  { name: 'before', cell: ({ beforeJson }) => <code className="json">{visible(beforeJson)}</code> },
  { name: 'after', cell: ({ afterJson }) => <code className="json">{visible(afterJson)}</code> },
  { name: 'account', cell: ({ accountId }) => accountId, order: ({ accountId }) => accountId },
  { name: 'roles', cell: ({ roles }) => roles.join(', ') },
  { name: 'request', cell: ({ requestId }) => <RequestLink id={requestId} /> },
];

interface TimeProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly onChange: (value: string) => void;
}

/** Time input that applies when it loses the focus. */
const Time = ({ label, value, onChange }: TimeProps) => (
  <TextInput
    size="xs"
    label={label}
    key={value ?? ''}
    type="datetime-local"
    defaultValue={value ?? ''}
    onBlur={(event) => onChange(event.target.value)}
  />
);
