import { queryOptions } from '@tanstack/react-query';
import { billing } from '../../calls.ts';
import { figuresQuery } from '../../figures-query.ts';

/** A supplier and a month, which have one statement. */
export interface StatementKey {
  readonly accountId: string;
  readonly month: string;
}

/** Loads the totals of a statement. */
export const statementQuery = ({ accountId, month }: StatementKey) =>
  queryOptions({
    ...figuresQuery,
    queryKey: ['statement', accountId, month],
    queryFn: ({ signal }) => billing.getStatement({ accountId, month }, { signal }),
  });
