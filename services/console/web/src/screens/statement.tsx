import { visible } from '@supplier/lib/text/visible';
import {
  EntryKindSchema,
  type StatementLine,
  type StatementTotals,
} from '@supplier/proto/billing/v1/billing';
import type { Price } from '@supplier/proto/billing/v1/prices';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { CloseMonthAction } from '../actions/close-month.tsx';
import { SetPriceAction } from '../actions/set-price.tsx';
import { accounts, billing } from '../calls.ts';
import { type Column, DataTable } from '../components/data-table.tsx';
import { MAX_ROWS, usePagedList } from '../components/paged-list.ts';
import { Panel } from '../components/panel.tsx';
import { ScrollRegion } from '../components/scroll-region.tsx';
import { enumName, formatPounds, formatTime } from '../format.ts';
import { monthsBefore, thisMonth } from '../parts/months.ts';
import { StatementFile } from '../parts/statement-file.tsx';
import { firstLines } from '../parts/statement-lines.ts';

const route = getRouteApi('/suppliers/$accountId/statements/$month');

/** The totals, lines and prices of a supplier's month. */
export function StatementScreen() {
  const { accountId, month } = route.useParams();
  const account = useQuery({
    queryKey: ['account', accountId],
    queryFn: ({ signal }) => accounts.getAccount({ accountId }, { signal }),
  });
  const statement = useQuery({
    queryKey: ['statement', accountId, month],
    queryFn: ({ signal }) => billing.getStatement({ accountId, month }, { signal }),
  });
  const name = account.data?.name ?? accountId;
  return (
    <>
      <h1>
        Statement of {name}, {month}
      </h1>
      <p>
        <Link to={route.id} params={{ accountId, month: monthsBefore(month, 1) }}>
          The month before
        </Link>
        {month < thisMonth() ? (
          <>
            {' · '}
            <Link to={route.id} params={{ accountId, month: monthsBefore(month, -1) }}>
              The month after
            </Link>
          </>
        ) : null}
      </p>
      <Panel title="Totals" query={statement} empty="This account does not exist.">
        {(found) => (
          <>
            <p>
              {found.closedAt ? (
                <>
                  <strong>Closed</strong> {formatTime(found.closedAt)}: it never changes.
                </>
              ) : (
                <>
                  <strong>Open</strong>: it may still gain lines.
                </>
              )}
            </p>
            <ScrollRegion label="Table: totals">
              <table className="table" aria-label="Totals">
                <thead>
                  <tr>
                    {['billed by', 'charges', 'charged', 'credits', 'credited', 'net', 'without a price'].map(
                      (head) => (
                        <th scope="col" key={head}>
                          {head}
                        </th>
                      ),
                    )}
                  </tr>
                </thead>
                <tbody>
                  {found.byModel.map(({ billingModel, totals }) => (
                    <Totals
                      key={billingModel}
                      name={enumName(BillingModelSchema, billingModel)}
                      totals={totals}
                    />
                  ))}
                  <Totals name="all" totals={found.totals} />
                </tbody>
              </table>
            </ScrollRegion>
            <CloseMonthAction statement={found} />
          </>
        )}
      </Panel>
      <Prices accountId={accountId} name={name} />
      <Lines accountId={accountId} month={month} />
    </>
  );
}

const Totals = ({
  name,
  totals,
}: {
  readonly name: string;
  readonly totals: StatementTotals | undefined;
}) => (
  <tr>
    <th scope="row">{name}</th>
    <td>{String(totals?.charges ?? 0n)}</td>
    <td>{formatPounds(totals?.chargedPence ?? 0n)}</td>
    <td>{String(totals?.credits ?? 0n)}</td>
    <td>{formatPounds(totals?.creditedPence ?? 0n)}</td>
    <td>{formatPounds(totals?.netPence ?? 0n)}</td>
    <td>{String(totals?.unpriced ?? 0n)}</td>
  </tr>
);

function Lines({ accountId, month }: { readonly accountId: string; readonly month: string }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['statement-lines', accountId, month],
    queryFn: ({ signal }) => firstLines({ accountId, month }, signal),
    refetchInterval: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return (
    <section className="panel">
      <h2>Lines</h2>
      <StatementFile key={month} accountId={accountId} month={month} />
      <DataTable
        label="Lines"
        columns={LINES}
        list={{
          rows: data?.lines ?? NONE,
          error,
          isFetching,
          isFetchingMore: false,
          hasMore: false,
          needsClick: false,
          loadMore: () => {},
          refresh: () => void refetch(),
        }}
        keyOf={({ entryId }) => entryId}
        empty="No charges or credits."
        limitReached={
          data?.hasMore
            ? `These are the first ${MAX_ROWS.toLocaleString('en-GB')} lines: the file has all of them.`
            : 'These are all of them.'
        }
      />
    </section>
  );
}

const NONE: readonly StatementLine[] = [];
const LINES: readonly Column<StatementLine>[] = [
  {
    name: 'submission',
    cell: ({ submissionId }) => (
      <Link to="/submissions/$submissionId" params={{ submissionId }}>
        {submissionId}
      </Link>
    ),
  },
  { name: 'reference', cell: ({ externalReference }) => visible(externalReference) },
  {
    name: 'kind',
    cell: ({ kind }) => enumName(EntryKindSchema, kind),
    order: ({ kind }) => kind,
  },
  {
    name: 'billed by',
    cell: ({ billingModel }) => enumName(BillingModelSchema, billingModel),
    order: ({ billingModel }) => billingModel,
  },
  {
    name: 'when',
    cell: ({ occurredAt }) => formatTime(occurredAt),
    order: ({ occurredAt }) => occurredAt?.seconds ?? 0n,
  },
  {
    name: 'net',
    cell: ({ netPence }) => (netPence === undefined ? 'no price yet' : formatPounds(netPence)),
    order: ({ netPence }) => netPence ?? 0,
  },
];

function Prices({ accountId, name }: { readonly accountId: string; readonly name: string }) {
  const list = usePagedList(['prices', accountId], async (page, signal) => {
    const { prices, nextPageToken } = await billing.listPrices({ accountId, ...page }, { signal });
    return { rows: prices, next: nextPageToken };
  });
  return (
    <section className="panel">
      <h2>Prices, those set last first</h2>
      <SetPriceAction accountId={accountId} name={name} />
      <DataTable
        label="Prices"
        columns={PRICES}
        list={list}
        keyOf={({ billingModel, setAt }) => `${billingModel} ${setAt?.seconds}.${setAt?.nanos}`}
        empty="No price set. Its submissions are unpriced."
      />
    </section>
  );
}

const PRICES: readonly Column<Price>[] = [
  { name: 'billed by', cell: ({ billingModel }) => enumName(BillingModelSchema, billingModel) },
  { name: 'for each lead', cell: ({ pence }) => formatPounds(pence) },
  { name: 'from', cell: ({ effectiveFrom }) => formatTime(effectiveFrom) },
  { name: 'set', cell: ({ setAt }) => formatTime(setAt) },
];
