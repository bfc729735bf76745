import type { StatementLine } from '@supplier/proto/billing/v1/billing';
import { billing } from '../../calls.ts';
import { MAX_ROWS } from '../../components/paged-list.ts';
import { resumeStream } from '../../resume-stream.ts';
import { CSV_HEAD, csvLine } from './csv-line.ts';
import type { StatementKey } from './statement-queries.ts';

/** Longer than billing keeps one stream open. */
const STREAM_MS = 310_000;
/** Maximum lines in a file: about 150 MB. */
const MAX_LINES = 1_000_000;

/** Streams the lines in order. */
const linesOf = (of: StatementKey, signal: AbortSignal): AsyncGenerator<readonly StatementLine[]> =>
  resumeStream({
    from: '',
    async *open(afterEntryId) {
      const request = { ...of, afterEntryId };
      for await (const { lines } of billing.streamStatement(request, { signal, timeoutMs: STREAM_MS }))
        yield lines;
    },
    placeOf: (lines) => lines.at(-1)?.entryId,
    signal,
  });

/** Returns the first 10,000 lines of a statement, and whether there are more. Rejects like the call. */
export async function firstLines(
  of: StatementKey,
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

/**
 * Returns the parts of a file with all lines of a statement, in the format of `sss statements lines --csv`: whole
 * pence, UTC, and no cell that a spreadsheet reads as a formula.
 *
 * @param onProgress called with the number of lines so far
 * @throws Error when there are more than 1,000,000 lines; otherwise rejects like the call
 */
export async function statementFile(
  of: StatementKey,
  signal: AbortSignal,
  onProgress: (lines: number) => void,
): Promise<readonly string[]> {
  const parts = [CSV_HEAD];
  let count = 0;
  for await (const lines of linesOf(of, signal)) {
    count += lines.length;
    if (count > MAX_LINES)
      throw new Error(
        `The statement has more than ${MAX_LINES.toLocaleString('en-GB')} lines, too many for a browser. In a terminal: sss statements lines ${of.accountId} ${of.month} --csv`,
      );
    parts.push(lines.map(csvLine).join(''));
    onProgress(count);
  }
  return parts;
}
