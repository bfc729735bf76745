import { requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { statementMessage } from '../model/money-message.ts';
import { unknownAccount } from '../refusals.ts';
import { requestedMonth } from '../requested-month.ts';
import { findClosing, sumLines } from './statements.sql.ts';

/**
 * The totals of a month: those it was closed with, or those of the lines that are there. NOT_FOUND for an unknown account,
 * VALIDATION_ERROR for a month in the future. Implements docs/contract.md, section 6.
 */
export function getStatement({ pool, clock, accountExists }: Context): Rpcs['getStatement'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const month = requestedMonth(request.month, clock.now());
    const { closedAt, totals } = await findClosing(pool, accountId, month);
    const byModel = totals ?? (await sumLines(pool, accountId, month));
    const isKnown = closedAt !== null || Object.keys(byModel).length > 0;
    if (!isKnown && !(await accountExists(accountId))) throw unknownAccount();
    return statementMessage({ accountId, month, closedAt, byModel });
  };
}
