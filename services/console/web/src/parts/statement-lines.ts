import { timestampDate } from '@bufbuild/protobuf/wkt';
import { csvRecord } from '@supplier/lib/text/csv';
import { EntryKindSchema, type StatementLine } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { billing } from '../calls.ts';
import { MAX_ROWS } from '../components/paged-list.ts';
import { enumFlag } from '../format.ts';
import { resumeStream } from './resume-stream.ts';

/** Longer than billing keeps one stream open. */
const STREAM_MS = 310_000;
/** Maximum lines in a file: about 150 MB. */
export const MOST_LINES = 1_000_000;

export interface StatementOf {
  readonly accountId: string;
  readonly month: string;
}

/** Streams the lines in order. */
const linesOf = (of: StatementOf, signal: AbortSignal): AsyncGenerator<readonly StatementLine[]> =>
  resumeStream({
    from: '',
    async *open(afterEntryId) {
      const asked = { ...of, afterEntryId };
      for await (const { lines } of billing.streamStatement(asked, { signal, timeoutMs: STREAM_MS }))
        yield lines;
    },
    placeOf: (lines) => lines.at(-1)?.entryId,
    signal,
  });

/** Returns the first 10,000 lines of a statement, and whether there are more. Rejects like the call. */
export async function firstLines(
  of: StatementOf,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly StatementLine[]; readonly hasMore: boolean }> {
  const enough = new AbortController();
  const lines: StatementLine[] = [];
  for await (const some of linesOf(of, AbortSignal.any([signal, enough.signal]))) {
    lines.push(...some);
    if (lines.length > MAX_ROWS) break;
  }
  // Stop the stream: billing serves only a few concurrently.
  enough.abort();
  return { lines: lines.slice(0, MAX_ROWS), hasMore: lines.length > MAX_ROWS };
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
 * Returns all lines of a statement in the format of `sss statements lines --csv`: whole pence, UTC, and no cell that a
 * spreadsheet reads as a formula.
 *
 * @param tell called with the number of lines so far
 * @throws Error when there are more than 1,000,000 lines; otherwise rejects like the call
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
  line.kind === 0 ? '' : enumFlag(EntryKindSchema, line.kind),
  line.billingModel === 0 ? '' : enumFlag(BillingModelSchema, line.billingModel),
  line.occurredAt ? secondOf(timestampDate(line.occurredAt)) : '',
  line.pence === undefined ? '' : String(line.pence),
  line.netPence === undefined ? '' : String(line.netPence),
];

const secondOf = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')}Z`;
