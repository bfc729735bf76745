import type { Price } from '@supplier/proto/billing/v1/prices';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { billing } from '../../calls.ts';
import { enumColumn, moneyColumn, timeColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { usePagedList } from '../../components/paged-list.ts';
import { STATEMENT } from './statement-texts.ts';

/** The prices of a supplier, last set first. */
export function Prices({ accountId }: { readonly accountId: string }) {
  const list = usePagedList(['prices', accountId], async (page, signal) => {
    const { prices, nextPageToken } = await billing.listPrices({ accountId, ...page }, { signal });
    return { rows: prices, next: nextPageToken };
  });
  return (
    <DataTable
      label={STATEMENT.prices}
      title={STATEMENT.prices}
      columns={COLUMNS}
      list={list}
      keyOf={({ billingModel, setAt }) => `${billingModel} ${setAt?.seconds}.${setAt?.nanos}`}
      empty={STATEMENT.noPrices}
    />
  );
}

const COLUMNS: readonly Column<Price>[] = [
  enumColumn(STATEMENT.model, BillingModelSchema, ({ billingModel }) => billingModel),
  moneyColumn(STATEMENT.price, ({ pence }) => pence),
  timeColumn(STATEMENT.from, ({ effectiveFrom }) => effectiveFrom),
  timeColumn(STATEMENT.set, ({ setAt }) => setAt, { isOptional: true }),
];
