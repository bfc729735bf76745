import { Badge } from '@mantine/core';
import type { Statement } from '@supplier/proto/billing/v1/billing';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countColumn, moneyColumn, supplierColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { completeList } from '../../components/paged-list.ts';
import { StatementBadge } from '../../components/status-badge.tsx';
import { formatMonth, thisMonth } from '../../dates.ts';
import { HIGHEST_CHARGES, MAX_ACCOUNTS } from '../../figures-query.ts';
import { statementQuery } from '../statement/statement-queries.ts';
import { isUsed, type Selected, statementKeys } from './statement-keys.ts';
import { useValueOfMonth } from './value-of-month.ts';

/** The statements of a month for the suppliers with lines in it, or the latest statements of one supplier. */
export function Statements({ month, account }: Selected) {
  const value = useValueOfMonth(month ?? thisMonth(), account);
  const wanted = statementKeys({ month, account }, value.data?.accounts ?? []);
  const { rows, error, isFetching } = useQueries({
    // Up to 50 calls, so not polled.
    queries: wanted.map((key) => ({ ...statementQuery(key), refetchInterval: false })),
    combine: (queries) => {
      const isFetching = queries.some(({ isPending }) => isPending);
      return {
        // All at once, so that no row moves another.
        rows: isFetching ? [] : queries.flatMap(({ data }) => (data && isUsed(data) ? [data] : [])),
        error: queries.find((query) => query.error)?.error ?? null,
        isFetching,
      };
    },
  });
  return (
    <>
      <DataTable
        label="Statements"
        hasTitle
        columns={COLUMNS}
        list={completeList(rows, {
          error: error ?? value.error,
          isFetching: isFetching || value.isPending,
        })}
        keyOf={({ accountId, month: of }) => `${accountId} ${of}`}
        empty="No charges or credits in this month. Choose another month, or a supplier to see its statements."
      />
      {value.data?.accounts.length === MAX_ACCOUNTS ? <p>{HIGHEST_CHARGES}</p> : null}
    </>
  );
}

const COLUMNS: readonly Column<Statement>[] = [
  {
    name: 'Statement',
    cell: ({ accountId, month }) => (
      <Link className="nowrap" to="/suppliers/$accountId/statements/$month" params={{ accountId, month }}>
        {formatMonth(month)}
      </Link>
    ),
    order: ({ month }) => month,
  },
  supplierColumn('Supplier'),
  { name: 'Status', cell: ({ closedAt }) => <StatementBadge closedAt={closedAt} /> },
  countColumn('Charges', ({ totals }) => totals?.charges, { isMinor: true }),
  moneyColumn('Charged', ({ totals }) => totals?.chargedPence),
  countColumn('Credits', ({ totals }) => totals?.credits, { isMinor: true }),
  moneyColumn('Credited', ({ totals }) => totals?.creditedPence),
  moneyColumn('Net', ({ totals }) => totals?.netPence),
  countColumn('Unpriced', ({ totals }) => totals?.unpriced, {
    cell: ({ totals }) => (totals?.unpriced ? <Badge color="amber">{String(totals.unpriced)}</Badge> : '0'),
  }),
];
