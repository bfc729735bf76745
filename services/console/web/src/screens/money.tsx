import { Button } from '@blueprintjs/core';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import type { PendingLead } from '@supplier/proto/submission/v1/pending_leads';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { CloseLeadAct } from '../acts/close-lead.tsx';
import { accounts, mayCall, submissions } from '../calls.ts';
import { isMonth, monthsBefore, thisMonth } from '../parts/months.ts';
import { usePages } from '../parts/pages.ts';
import { Part } from '../parts/part.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { SUBMISSION_COLUMNS } from '../parts/submission-columns.tsx';
import { useSession } from '../session.ts';
import { ageSince, timeOf, wordOf } from '../words.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const AGES_DAYS = [0, 7, 30, 90];
const FEW = 20;

/** Shows leads with pending billing, and links to each supplier's statements. */
export function MoneyScreen() {
  return (
    <>
      <h1>Money</h1>
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
    <section className="part">
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
        <label>
          {mayFind ? 'Supplier, by name or account' : 'Supplier, by account'}
          <input
            value={text}
            maxLength={128}
            required
            {...(mayFind ? {} : { pattern: UUID.source, title: 'the id of an account' })}
            onChange={(event) => setText(event.target.value)}
          />
        </label>
        <label>
          Month
          <input
            type="month"
            value={month}
            max={thisMonth()}
            required
            onChange={(event) => setMonth(event.target.value)}
          />
        </label>
        <Button type="submit">Show</Button>
      </form>
      {wanted === undefined ? null : (
        <Part title={`Suppliers named like “${wanted}”`} query={found}>
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
              {nextPageToken === '' ? null : <p>There are more: say more of the name.</p>}
            </>
          )}
        </Part>
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
  const pages = usePages(['pending-leads', 'all', pendingDays, accountId], async (page, signal) => {
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
      <Part title="Accepted, and billing is pending" query={count}>
        {({ count: some, countIsAtLeast, oldestReceivedAt }) => (
          <p>
            {countIsAtLeast ? 'At least ' : ''}
            {some ?? 0}
            {oldestReceivedAt ? `, the oldest for ${ageSince(oldestReceivedAt, Date.now())}` : ''}.
          </p>
        )}
      </Part>
      <div className="filters">
        <label>
          received
          <select value={pendingDays} onChange={(event) => setDays(Number(event.target.value))}>
            {AGES_DAYS.map((days) => (
              <option key={days} value={days}>
                {days === 0 ? 'at any time' : `${days} days ago or longer`}
              </option>
            ))}
          </select>
        </label>
        <label>
          of the account
          <input
            maxLength={36}
            onChange={(event) => {
              const text = event.target.value.trim();
              if (text === '' || UUID.test(text)) setAccount(text);
            }}
          />
        </label>
        <Button onClick={pages.lookAgain}>Look again</Button>
      </div>
      <Rows
        label="Leads"
        columns={columns}
        pages={pages}
        keyOf={({ submissionId }) => submissionId}
        nothing="None wait."
      />
    </>
  );
}

const COLUMNS: readonly Column<PendingLead>[] = [
  ...SUBMISSION_COLUMNS,
  { name: 'billed by', cell: ({ billingModel }) => wordOf(BillingModelSchema, billingModel) },
  {
    name: 'received',
    cell: ({ receivedAt }) => timeOf(receivedAt),
    order: ({ receivedAt }) => receivedAt?.seconds ?? 0n,
  },
  { name: 'waits for', cell: ({ receivedAt }) => ageSince(receivedAt, Date.now()) },
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
const CLOSE: Column<PendingLead> = { name: 'act', cell: (lead) => <CloseLeadAct {...lead} /> };
