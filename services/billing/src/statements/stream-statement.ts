import { Code, ConnectError } from '@connectrpc/connect';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, type LedgerEntryId, parseId } from '@supplier/lib/text/ids';
import type { StreamStatementRequest } from '@supplier/proto/billing/v1/billing';
import type { Context, Rpcs } from '../context.ts';
import { lineMessage } from '../model/messages.ts';
import { requestedMonth, unknownAccount } from '../requests.ts';
import { findClosing, findLine, type LinePosition, listLines } from './statements.sql.ts';

/** Lines per message and database statement; a batch takes a few milliseconds. */
const LINES_AT_ONCE = 500;
/** Concurrent streams per process, which bounds memory to this many messages. */
const MAX_STREAMS = 8;
const MAX_DURATION_MS = 5 * 60_000;

/**
 * Streams the lines of a month in order, each with the supplier's reference, as fast as the reader consumes them.
 * Between two messages it holds nothing in memory or at the database. Throws NOT_FOUND for an unknown account,
 * VALIDATION_ERROR for a month in the future or a last line that is not on this statement, SERVICE_UNAVAILABLE while
 * the process serves eight streams, and DEADLINE_EXCEEDED after five minutes. Implements docs/contract.md, section 6.
 */
export function streamStatement({
  db,
  pool,
  clock,
  accountExists,
  referencesOf,
}: Context): Rpcs['streamStatement'] {
  const places = placesFor(MAX_STREAMS);
  return async function* (request, { signal }) {
    const accountId = requestedId<AccountId>('account_id', request.accountId);
    const month = requestedMonth(request.month, clock.now());
    const leave = places.take();
    if (!leave)
      throw refuse(RefusalCode.SERVICE_UNAVAILABLE, 'Too many statements are being read. Try again later.');
    try {
      const ends = performance.now() + MAX_DURATION_MS;
      let after = await requestedPosition(request);
      for (let isFirst = true; ; isFirst = false) {
        if (performance.now() > ends) throw tookTooLong();
        const lines = await listLines(pool, accountId, month, after, LINES_AT_ONCE);
        if (isFirst && !after && lines.length === 0) await refuseUnknownAccount();
        // The reader has gone.
        if (signal.aborted) return;
        if (lines.length > 0) {
          const references = await referencesOf(lines.map(({ submissionId }) => submissionId));
          yield { lines: lines.map((line) => lineMessage(line, references.get(line.submissionId) ?? '')) };
        }
        after = lines.at(-1);
        if (lines.length < LINES_AT_ONCE) return;
      }
    } finally {
      leave();
    }

    async function refuseUnknownAccount(): Promise<void> {
      const { closedAt } = await findClosing(db, accountId, month);
      if (!closedAt && !(await accountExists(accountId))) throw unknownAccount();
    }

    async function requestedPosition({
      afterEntryId,
    }: StreamStatementRequest): Promise<LinePosition | undefined> {
      if (afterEntryId === '') return undefined;
      const entryId = parseId<LedgerEntryId>(afterEntryId);
      const line = entryId && (await findLine(pool, accountId, month, entryId));
      if (!line) throw invalid('after_entry_id', 'must be a line of this statement');
      return line;
    }
  };
}

/**
 * Limits concurrent streams. A place is held for at most five minutes, so a stalled reader cannot block others for
 * longer.
 */
function placesFor(max: number) {
  let taken = 0;
  return {
    /** Returns a function that releases the place; undefined when none is free. */
    take(): (() => void) | undefined {
      if (taken >= max) return undefined;
      taken += 1;
      let held = true;
      const leave = () => {
        if (held) taken -= 1;
        held = false;
        clearTimeout(timer);
      };
      const timer = setTimeout(leave, MAX_DURATION_MS).unref();
      return leave;
    },
  };
}

function tookTooLong(): ConnectError {
  return new ConnectError(
    'The statement took longer than five minutes. Continue after the last line.',
    Code.DeadlineExceeded,
  );
}
