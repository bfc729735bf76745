import { useQuery } from '@tanstack/react-query';
import { billing } from '../../calls.ts';
import { lastDayOf } from '../../dates.ts';
import { figuresQuery } from '../../figures-query.ts';

/** Returns the charges and credits of a month, of one supplier or of all. */
export const useValueOfMonth = (month: string, account: string | undefined) => {
  const request = {
    fromDay: `${month}-01`,
    untilDay: lastDayOf(month),
    byMonth: true,
    ...(account ? { accountId: account } : {}),
  };
  return useQuery({
    ...figuresQuery,
    queryKey: ['billable-value', request],
    queryFn: ({ signal }) => billing.getBillableValue(request, { signal }),
  });
};
