import { auditCall } from '@supplier/lib/governance/audit';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { statementMessage } from '../model/messages.ts';
import { monthOf } from '../model/month.ts';
import { closingRefusal, sumOf } from '../model/statement.ts';
import { requestedMonth, unknownAccount, wrongState } from '../requests.ts';
import { inTransaction } from '../store/database.ts';
import { lockLedger } from '../store/ledger.sql.ts';
import { findClosing, findEarlierOpenMonth, insertStatement, sumLines } from './statements.sql.ts';

/**
 * Returns the totals of a month: the stored ones if it is closed, otherwise those computed from its lines. Throws
 * NOT_FOUND for an unknown account and VALIDATION_ERROR for a month in the future. Implements docs/contract.md, section
 * 6.
 */
export function getStatement({ db, clock, accountExists }: Context): Rpcs['getStatement'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const month = requestedMonth(request.month, clock.now());
    const { closedAt, totals } = await findClosing(db, accountId, month);
    const byModel = totals ?? (await sumLines(db, accountId, month));
    const isKnown = closedAt !== null || Object.keys(byModel).length > 0;
    if (!isKnown && !(await accountExists(accountId))) throw unknownAccount();
    return statementMessage({ accountId, month, closedAt, byModel });
  };
}

/**
 * Closes a month of an account permanently, while no lines can be entered: the statement contains every line entered in
 * it, and later lines go to a later statement. Repeating the call returns the stored statement. Throws NOT_FOUND for an
 * unknown account, VALIDATION_ERROR for a month in the future, and WRONG_STATE for a month that has not ended, follows
 * an open one with lines, or has lines without a price. Implements docs/contract.md, section 6.
 */
export function closeMonth({ db, clock, accountExists }: Context): Rpcs['closeMonth'] {
  return async (request, call) => {
    const { allowUnpriced } = request;
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const now = clock.now();
    const month = requestedMonth(request.month, now);
    if (!(await accountExists(accountId))) throw unknownAccount();
    const statement = await inTransaction(db, async (tx) => {
      await lockLedger(tx, accountId);
      const { closedAt, totals } = await findClosing(tx, accountId, month);
      if (closedAt && totals) return { accountId, month, closedAt, byModel: totals };
      const byModel = await sumLines(tx, accountId, month);
      const { unpriced } = sumOf(byModel);
      const wrong = closingRefusal({
        hasEnded: month < monthOf(now),
        earlierOpen: await findEarlierOpenMonth(tx, accountId, month),
        unpriced,
        allowUnpriced,
      });
      if (wrong) throw wrongState(wrong);
      const closed = { accountId, month, closedAt: now, byModel };
      await insertStatement(tx, closed);
      const after = { month, unpriced, allowUnpriced };
      await auditCall(tx, call, { at: now, target: accountId, accountId, after });
      return closed;
    });
    return statementMessage(statement);
  };
}
