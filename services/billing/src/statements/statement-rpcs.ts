import { Code, ConnectError } from '@connectrpc/connect';
import { auditCall } from '@supplier/lib/governance/audit';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId } from '@supplier/lib/text/ids';
import type { CloseMonthRequest } from '@supplier/proto/billing/v1/billing';
import type { Context, Rpcs } from '../context.ts';
import { statementMessage } from '../model/messages.ts';
import { monthOf } from '../model/month.ts';
import { closingRefusal, type Statement, sumOf } from '../model/statement.ts';
import { requestedMonth, unknownAccount, wrongState } from '../requests.ts';
import { inTransaction, type Transaction } from '../store/database.ts';
import { lockLedger } from '../store/ledger.sql.ts';
import { findClosing, findEarlierOpenMonth, insertStatement, sumLines } from './statements.sql.ts';
import { type ComparedLines, findUnexplainedLine } from './unexplained-lines.ts';

/**
 * Returns the totals of a month: the stored ones if it is closed, otherwise those computed from its lines. Throws
 * NOT_FOUND for an unknown account and VALIDATION_ERROR for a month in the future. Implements docs/contract.md, section
 * 6.
 */
export function getStatement({ db, pool, clock, accountExists }: Context): Rpcs['getStatement'] {
  return async (request) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const month = requestedMonth(request.month, clock.now());
    const { closedAt, totals } = await findClosing(db, accountId, month);
    const byModel = totals ?? (await sumLines(pool, accountId, month));
    const isKnown = closedAt !== null || Object.keys(byModel).length > 0;
    if (!isKnown && !(await accountExists(accountId))) throw unknownAccount();
    return statementMessage({ accountId, month, closedAt, byModel });
  };
}

/** How often lines may be entered into a month while they are compared. */
const MAX_COMPARISONS = 5;

/**
 * Closes a month of an account permanently, while no lines can be entered: the statement contains every line entered in
 * it, and later lines go to a later statement. Repeating the call returns the stored statement. Throws NOT_FOUND for an
 * unknown account, VALIDATION_ERROR for a month in the future, WRONG_STATE for a month that has not ended, follows an
 * open one with lines, or has lines without a price or that no submission explains, and UNAVAILABLE while the submission
 * service does not respond or lines are still being entered. Implements docs/contract.md, section 6.
 */
export function closeMonth(context: Context): Rpcs['closeMonth'] {
  const { db, clock, accountExists } = context;
  return async (request, call) => {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const month = requestedMonth(request.month, clock.now());
    if (!(await accountExists(accountId))) throw unknownAccount();
    const close = (compared: ComparedLines | undefined) =>
      inTransaction(db, (tx) => closeCompared(tx, { ...request, accountId, month }, compared));
    let statement = await close(undefined);
    for (let count = 0; !statement && count < MAX_COMPARISONS; count += 1)
      statement = await close(await findUnexplainedLine(context, accountId, month, call.signal));
    if (!statement)
      throw new ConnectError('Lines are still being entered. Try again later.', Code.Unavailable);
    return statementMessage(statement);

    /** Returns the statement; undefined if lines of the month have not been compared. */
    async function closeCompared(
      tx: Transaction,
      { allowUnpriced }: CloseMonthRequest,
      compared: ComparedLines | undefined,
    ): Promise<Statement | undefined> {
      const now = clock.now();
      await lockLedger(tx, accountId);
      const { closedAt, totals } = await findClosing(tx, accountId, month);
      if (closedAt && totals) return { accountId, month, closedAt, byModel: totals };
      const byModel = await sumLines(tx, accountId, month);
      const { charges, credits, unpriced } = sumOf(byModel);
      const wrong = closingRefusal({
        hasEnded: month < monthOf(now),
        earlierOpen: await findEarlierOpenMonth(tx, accountId, month),
        unpriced,
        allowUnpriced,
      });
      if (wrong) throw wrongState(wrong);
      if (compared?.refusal) throw wrongState(compared.refusal);
      // Lines are only ever added, so the same number is the same lines.
      if ((compared?.compared ?? 0) !== charges + credits) return undefined;
      const closed = { accountId, month, closedAt: now, byModel };
      await insertStatement(tx, closed);
      const after = { month, unpriced, allowUnpriced };
      await auditCall(tx, call, { at: now, target: accountId, accountId, after });
      return closed;
    }
  };
}
