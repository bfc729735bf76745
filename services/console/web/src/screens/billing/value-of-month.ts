import { lastDayOf } from '../../dates.ts';
import { useValue } from '../../figures-query.ts';

/** Returns the charges and credits of a month, of one supplier or of all. */
export const useValueOfMonth = (month: string, account: string | undefined) =>
  useValue({
    fromDay: `${month}-01`,
    untilDay: lastDayOf(month),
    byMonth: true,
    ...(account ? { accountId: account } : {}),
  });
