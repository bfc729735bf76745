import { Button } from '@blueprintjs/core';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { visible } from '@supplier/lib/text/visible';
import type { AuditEntry } from '@supplier/proto/audit/v1/audit';
import { getRouteApi } from '@tanstack/react-router';
import { audits } from '../calls.ts';
import { AuditExport } from '../parts/audit-export.tsx';
import { Words } from '../parts/filters.tsx';
import { usePages } from '../parts/pages.ts';
import { RequestLink } from '../parts/request-link.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { timeOf } from '../words.ts';
import { AUDITED, type AuditSearch, auditSearch, timeIn } from './audit-search.ts';

const route = getRouteApi('/audit');

/** Lists a service's audit log, newest first, with filters. */
export function AuditScreen() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { service = 'submission', target, actor, action, account, request, since, until } = search;
  const pages = usePages(['audit', search], async (page, signal) => {
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
      <h1>Audit</h1>
      <div className="filters">
        <label>
          service
          <select value={service} onChange={(event) => change({ service: event.target.value })}>
            {AUDITED.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <Words label="target" value={target} onChange={(value) => change({ target: value })} />
        <Words label="actor" value={actor} onChange={(value) => change({ actor: value })} />
        <Words label="action" value={action} onChange={(value) => change({ action: value })} />
        <Words label="account" value={account} onChange={(value) => change({ account: value })} />
        <Words label="request" value={request} onChange={(value) => change({ request: value })} />
        <Time label="since (UTC)" value={since} onChange={(value) => change({ since: value })} />
        <Time label="before (UTC)" value={until} onChange={(value) => change({ until: value })} />
        <Button onClick={pages.lookAgain}>Look again</Button>
      </div>
      <AuditExport key={`${service} ${since}`} service={service} since={since ? timeIn(since) : undefined} />
      <Rows
        label="Audit log"
        columns={COLUMNS}
        pages={pages}
        keyOf={({ sequence }) => String(sequence)}
        nothing="None are found."
      />
    </>
  );
}

const timed = (name: 'since' | 'until', text: string | undefined) => {
  const at = text ? timeIn(text) : undefined;
  return at ? { [name]: timestampFromDate(at) } : {};
};

const COLUMNS: readonly Column<AuditEntry>[] = [
  { name: 'at', cell: ({ at }) => timeOf(at) },
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
  <label>
    {label}
    <input
      key={value ?? ''}
      type="datetime-local"
      defaultValue={value ?? ''}
      onBlur={(event) => onChange(event.target.value)}
    />
  </label>
);
