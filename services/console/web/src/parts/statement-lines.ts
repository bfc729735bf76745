import { timestampDate } from '@bufbuild/protobuf/wkt';
import { csvRecord } from '@supplier/lib/text/csv';
import { EntryKindSchema, type StatementLine } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { billing } from '../calls.ts';
import { flagOf } from '../words.ts';
import { MOST_ROWS } from './pages.ts';
import { resumed } from './resumed.ts';

/** Longer than billing goes on with one stream. */
const STREAM_MS = 310_000;
/** What a file holds at most: some 150 MB. */
export const MOST_LINES = 1_000_000;

export interface StatementOf {
  readonly accountId: string;
  readonly month: string;
}

/** Lines as they come, in their order. */
const linesOf = (of: StatementOf, signal: AbortSignal): AsyncGenerator<readonly StatementLine[]> =>
  resumed({
    from: '',
    async *open(afterEntryId) {
      const asked = { ...of, afterEntryId };
      for await (const { lines } of billing.streamStatement(asked, { signal, timeoutMs: STREAM_MS }))
        yield lines;
    },
    placeOf: (lines) => lines.at(-1)?.entryId,
    signal,
  });

/** The first 10,000 lines of a statement, and whether there are more. Rejects as the call does. */
export async function firstLines(
  of: StatementOf,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly StatementLine[]; readonly hasMore: boolean }> {
  const enough = new AbortController();
  const lines: StatementLine[] = [];
  for await (const some of linesOf(of, AbortSignal.any([signal, enough.signal]))) {
    lines.push(...some);
    if (lines.length > MOST_ROWS) break;
  }
  // Billing serves few streams at once.
  enough.abort();
  return { lines: lines.slice(0, MOST_ROWS), hasMore: lines.length > MOST_ROWS };
}

const HEADS = [
  'entry_id',
  'submission_id',
  'external_reference',
  'kind',
  'billing_model',
  'occurred_at',
  'pence',
  'net_pence',
] as const satisfies readonly string[];

/**
 * All lines of a statement as the file that `sss statements lines --csv` writes: whole pence, UTC, nothing that a spreadsheet
 * takes for a formula.
 *
 * @param tell how many lines there are so far
 * @throws Error where there are more than 1,000,000; otherwise as the call does
 */
export async function statementFile(
  of: StatementOf,
  signal: AbortSignal,
  tell: (lines: number) => void,
): Promise<Blob> {
  const parts = [csvRecord(HEADS)];
  let count = 0;
  for await (const lines of linesOf(of, signal)) {
    count += lines.length;
    if (count > MOST_LINES)
      throw new Error(
        `There are more than ${MOST_LINES.toLocaleString('en-GB')} lines, which a browser does not take. In a terminal: sss statements lines ${of.accountId} ${of.month} --csv`,
      );
    parts.push(lines.map((line) => csvRecord(cellsOf(line))).join(''));
    tell(count);
  }
  return new Blob(parts, { type: 'text/csv;charset=utf-8' });
}

const cellsOf = (line: StatementLine): readonly string[] => [
  line.entryId,
  line.submissionId,
  line.externalReference,
  line.kind === 0 ? '' : flagOf(EntryKindSchema, line.kind),
  line.billingModel === 0 ? '' : flagOf(BillingModelSchema, line.billingModel),
  line.occurredAt ? secondOf(timestampDate(line.occurredAt)) : '',
  line.pence === undefined ? '' : String(line.pence),
  line.netPence === undefined ? '' : String(line.netPence),
];

const secondOf = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
