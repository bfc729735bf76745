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
import { CloseMonthAct } from '../acts/close-month.tsx';
import { SetPriceAct } from '../acts/set-price.tsx';
import { accounts, billing } from '../calls.ts';
import { monthsBefore, thisMonth } from '../parts/months.ts';
import { MOST_ROWS, usePages } from '../parts/pages.ts';
import { Part } from '../parts/part.tsx';
import { type Column, Rows } from '../parts/rows.tsx';
import { Scrolled } from '../parts/scrolled.tsx';
import { StatementFile } from '../parts/statement-file.tsx';
import { firstLines } from '../parts/statement-lines.ts';
import { poundsOf, timeOf, wordOf } from '../words.ts';

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
      <Part title="Totals" query={statement} nothing="There is no such account.">
        {(found) => (
          <>
            <p>
              {found.closedAt ? (
                <>
                  <strong>Closed</strong> {timeOf(found.closedAt)}: it never changes.
                </>
              ) : (
                <>
                  <strong>Open</strong>: it may still gain lines.
                </>
              )}
            </p>
            <Scrolled label="Totals, a table that scrolls">
              <table className="bp6-html-table bp6-compact" aria-label="Totals">
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
                      name={wordOf(BillingModelSchema, billingModel)}
                      totals={totals}
                    />
                  ))}
                  <Totals name="all" totals={found.totals} />
                </tbody>
              </table>
            </Scrolled>
            <CloseMonthAct statement={found} />
          </>
        )}
      </Part>
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
    <td>{poundsOf(totals?.chargedPence ?? 0n)}</td>
    <td>{String(totals?.credits ?? 0n)}</td>
    <td>{poundsOf(totals?.creditedPence ?? 0n)}</td>
    <td>{poundsOf(totals?.netPence ?? 0n)}</td>
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
    <section className="part">
      <h2>Lines</h2>
      <StatementFile key={month} accountId={accountId} month={month} />
      <Rows
        label="Lines"
        columns={LINES}
        pages={{
          rows: data?.lines ?? NONE,
          error,
          isFetching,
          isFetchingMore: false,
          hasMore: false,
          waitsToBeAsked: false,
          fetchMore: () => {},
          lookAgain: () => void refetch(),
        }}
        keyOf={({ entryId }) => entryId}
        nothing="Nothing was charged or credited."
        beyond={
          data?.hasMore
            ? `These are the first ${MOST_ROWS.toLocaleString('en-GB')} lines: the file has all of them.`
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
    cell: ({ kind }) => wordOf(EntryKindSchema, kind),
    order: ({ kind }) => kind,
  },
  {
    name: 'billed by',
    cell: ({ billingModel }) => wordOf(BillingModelSchema, billingModel),
    order: ({ billingModel }) => billingModel,
  },
  {
    name: 'when',
    cell: ({ occurredAt }) => timeOf(occurredAt),
    order: ({ occurredAt }) => occurredAt?.seconds ?? 0n,
  },
  {
    name: 'net',
    cell: ({ netPence }) => (netPence === undefined ? 'no price yet' : poundsOf(netPence)),
    order: ({ netPence }) => netPence ?? 0,
  },
];

function Prices({ accountId, name }: { readonly accountId: string; readonly name: string }) {
  const pages = usePages(['prices', accountId], async (page, signal) => {
    const { prices, nextPageToken } = await billing.listPrices({ accountId, ...page }, { signal });
    return { rows: prices, next: nextPageToken };
  });
  return (
    <section className="part">
      <h2>Prices, those set last first</h2>
      <SetPriceAct accountId={accountId} name={name} />
      <Rows
        label="Prices"
        columns={PRICES}
        pages={pages}
        keyOf={({ billingModel, setAt }) => `${billingModel} ${setAt?.seconds}.${setAt?.nanos}`}
        nothing="No price was set: its leads are without one."
      />
    </section>
  );
}

const PRICES: readonly Column<Price>[] = [
  { name: 'billed by', cell: ({ billingModel }) => wordOf(BillingModelSchema, billingModel) },
  { name: 'for each lead', cell: ({ pence }) => poundsOf(pence) },
  { name: 'from', cell: ({ effectiveFrom }) => timeOf(effectiveFrom) },
  { name: 'set', cell: ({ setAt }) => timeOf(setAt) },
];
