import { Button, NativeSelect, TextInput } from '@mantine/core';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import type { PendingLead } from '@supplier/proto/submission/v1/pending_leads';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { accounts, mayCall, submissions } from '../calls.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { usePagedList } from '../components/paged-list.ts';
import { Panel } from '../components/panel.tsx';
import { SUBMISSION_COLUMNS } from '../components/submission-columns.tsx';
import { enumName, formatAgeSince, formatTime } from '../format.ts';
import { isMonth, monthsBefore, thisMonth } from '../parts/months.ts';
import { useSession } from '../session.ts';
import { CloseBillingAction } from './submission/close-billing.tsx';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const AGES_DAYS = [0, 7, 30, 90];
const FEW = 20;

/** Shows leads with pending billing, and links to each supplier's statements. */
export function BillingScreen() {
  return (
    <>
      <PageHeader title="Billing" />
      <StatementChoice />
      <PendingLeads />
    </>
  );
}

/** Opens a supplier's statement for a month, by account id or, for people who may list accounts, by name. */
function StatementChoice() {
  const { roles } = useSession();
  const navigate = useNavigate();
  const [month, setMonth] = useState(() => monthsBefore(thisMonth(), 1));
  const [text, setText] = useState('');
  const [wanted, setWanted] = useState<string>();
  const mayFind = mayCall(roles, AccountService.method.listAccounts);
  const found = useQuery({
    queryKey: ['accounts-named', wanted],
    queryFn: ({ signal }) => accounts.listAccounts({ nameContains: wanted ?? '', pageSize: FEW }, { signal }),
    enabled: wanted !== undefined,
    refetchInterval: false,
  });
  return (
    <section className="panel">
      <h2>A statement</h2>
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          const what = text.trim();
          if (UUID.test(what))
            void navigate({
              to: '/suppliers/$accountId/statements/$month',
              params: { accountId: what, month },
            });
          else if (mayFind && what !== '') setWanted(what);
        }}
      >
        <TextInput
          size="xs"
          label={mayFind ? 'Supplier, by name or account' : 'Supplier, by account'}
          value={text}
          maxLength={128}
          required
          {...(mayFind ? {} : { pattern: UUID.source, title: 'the id of an account' })}
          onChange={(event) => setText(event.target.value)}
        />
        <TextInput
          size="xs"
          label="Month"
          type="month"
          value={month}
          max={thisMonth()}
          required
          onChange={(event) => setMonth(event.target.value)}
        />
        <Button type="submit">Show</Button>
      </form>
      {wanted === undefined ? null : (
        <Panel title={`Suppliers named like “${wanted}”`} query={found}>
          {({ accounts: some, nextPageToken }) => (
            <>
              {some.length === 0 ? <p>None.</p> : null}
              <ul>
                {some.map(({ accountId, name }) => (
                  <li key={accountId}>
                    <Link
                      to="/suppliers/$accountId/statements/$month"
                      params={{ accountId, month: isMonth(month) ? month : thisMonth() }}
                    >
                      {name}
                    </Link>{' '}
                    <small>{accountId}</small>
                  </li>
                ))}
              </ul>
              {nextPageToken === '' ? null : <p>Only the first are shown. Enter more of the name.</p>}
            </>
          )}
        </Panel>
      )}
    </section>
  );
}

/** Accepted leads whose billing is pending, oldest first. */
function PendingLeads() {
  const { roles } = useSession();
  const [pendingDays, setDays] = useState(0);
  const [accountId, setAccount] = useState('');
  const count = useQuery({
    queryKey: ['pending-leads', pendingDays, accountId],
    queryFn: ({ signal }) =>
      submissions.listPendingLeads({ pendingDays, accountId, pageSize: 1 }, { signal }),
  });
  const list = usePagedList(['pending-leads', 'all', pendingDays, accountId], async (page, signal) => {
    const { leads, nextPageToken } = await submissions.listPendingLeads(
      { pendingDays, accountId, ...page },
      { signal },
    );
    return { rows: leads, next: nextPageToken };
  });
  const mayClose = mayCall(roles, SubmissionService.method.closePendingLead);
  const columns = useMemo(
    () => (mayClose ? [...COLUMNS.slice(0, 1), CLOSE, ...COLUMNS.slice(1)] : COLUMNS),
    [mayClose],
  );
  return (
    <>
      <Panel title="Pending billing" query={count}>
        {({ count: some, countIsAtLeast, oldestReceivedAt }) => (
          <p>
            {countIsAtLeast ? 'At least ' : ''}
            {some ?? 0}
            {oldestReceivedAt ? `, the oldest for ${formatAgeSince(oldestReceivedAt, Date.now())}` : ''}.
          </p>
        )}
      </Panel>
      <div className="filters">
        <NativeSelect
          size="xs"
          label="received"
          value={pendingDays}
          onChange={(event) => setDays(Number(event.target.value))}
        >
          {AGES_DAYS.map((days) => (
            <option key={days} value={days}>
              {days === 0 ? 'at any time' : `${days} days ago or longer`}
            </option>
          ))}
        </NativeSelect>
        <TextInput
          size="xs"
          label="account"
          maxLength={36}
          onChange={(event) => {
            const text = event.target.value.trim();
            if (text === '' || UUID.test(text)) setAccount(text);
          }}
        />
      </div>
      <DataTable
        label="Leads"
        columns={columns}
        list={list}
        keyOf={({ submissionId }) => submissionId}
        empty="No pending billing."
      />
    </>
  );
}

const COLUMNS: readonly Column<PendingLead>[] = [
  ...SUBMISSION_COLUMNS,
  { name: 'billed by', cell: ({ billingModel }) => enumName(BillingModelSchema, billingModel) },
  {
    name: 'received',
    cell: ({ receivedAt }) => formatTime(receivedAt),
    order: ({ receivedAt }) => receivedAt?.seconds ?? 0n,
  },
  { name: 'waits for', cell: ({ receivedAt }) => formatAgeSince(receivedAt, Date.now()) },
  {
    name: 'supplier',
    cell: ({ accountId }) => (
      <Link to="/suppliers/$accountId/statements/$month" params={{ accountId, month: thisMonth() }}>
        {accountId}
      </Link>
    ),
    order: ({ accountId }) => accountId,
  },
];
const CLOSE: Column<PendingLead> = { name: 'act', cell: (lead) => <CloseBillingAction {...lead} /> };
