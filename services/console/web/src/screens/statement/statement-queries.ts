import { BillingService } from '@supplier/proto/billing/v1/billing';
import { queryOf } from '../../calls.ts';
import { figuresQuery } from '../../figures-query.ts';

/** A supplier and a month, which have one statement. */
export interface StatementKey {
  readonly accountId: string;
  readonly month: string;
}

/** Loads the totals of a statement. */
export const statementQuery = ({ accountId, month }: StatementKey) => ({
  ...figuresQuery,
  ...queryOf(BillingService.method.getStatement, { accountId, month }),
});
