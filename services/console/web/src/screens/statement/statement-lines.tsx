import { Badge, Button, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { EntryKind, EntryKindSchema, type StatementLine } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { billing } from '../../calls.ts';
import { enumColumn, idColumn, moneyColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { Money } from '../../components/money.tsx';
import { SubmissionLink } from '../../components/mono.tsx';
import { completeList, MAX_ROWS, notRepeated } from '../../components/paged-list.ts';
import { ExactTime } from '../../components/time.tsx';
import { enumLabel, withNoun } from '../../format.ts';
import { resumeStream } from '../../resume-stream.ts';
import { saveFile } from '../../save-file.ts';
import { useStoppable } from '../../stoppable.ts';
import { CSV_HEAD, csvLine } from './csv-line.ts';
import type { StatementKey } from './statement-queries.ts';

/** The lines of a statement, up to 10,000, and the file with all of them. */
export function StatementLines({ of }: { readonly of: StatementKey }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['statement-lines', of],
    queryFn: ({ signal }) => firstLines(of, signal),
    ...notRepeated,
  });
  return (
    <DataTable
      label="Lines"
      noun="line"
      hasTitle
      actions={<StatementDownload {...of} />}
      columns={COLUMNS}
      list={completeList(data?.lines ?? NONE, { error, isFetching, refresh: () => void refetch() })}
      keyOf={({ entryId }) => entryId}
      empty="No charges or credits in this month. A line appears when a submission becomes billable or is returned."
      limitReached={
        data?.hasMore
          ? `Only the first ${MAX_ROWS.toLocaleString('en-GB')} lines are shown. Download the CSV file for all of them.`
          : 'All lines are shown.'
      }
    />
  );
}

const NONE: readonly StatementLine[] = [];
const COLUMNS: readonly Column<StatementLine>[] = [
  {
    name: 'Date',
    cell: ({ occurredAt }) => <ExactTime at={occurredAt} />,
    order: ({ occurredAt }) => occurredAt?.seconds ?? 0n,
  },
  {
    name: 'Reference',
    cell: ({ submissionId, externalReference }) => (
      <SubmissionLink submissionId={submissionId}>
        {visible(externalReference || submissionId)}
      </SubmissionLink>
    ),
    order: ({ externalReference }) => externalReference,
    isRowHeader: true,
  },
  enumColumn('Kind', EntryKindSchema, ({ kind }) => kind, {
    cell: ({ kind }) => (
      <Badge color={kind === EntryKind.CREDIT ? 'red' : 'gray'}>{enumLabel(EntryKindSchema, kind)}</Badge>
    ),
  }),
  enumColumn('Billing model', BillingModelSchema, ({ billingModel }) => billingModel),
  moneyColumn('Net', ({ netPence }) => netPence, {
    cell: ({ netPence }) =>
      netPence === undefined ? <Badge color="amber">No price</Badge> : <Money pence={netPence} />,
  }),
  idColumn('Submission', ({ submissionId }) => submissionId, { isOptional: true }),
];

/** Creates a statement's CSV file in the browser and downloads it. */
function StatementDownload(of: StatementKey) {
  const [count, setCount] = useState(0);
  const { run, isRunning, error, stop } = useStoppable(async (signal) => {
    setCount(0);
    const parts = await statementFile(of, signal, setCount);
    saveFile(`statement-${of.accountId}-${of.month}.csv`, 'text/csv;charset=utf-8', parts);
  });
  return (
    <>
      {error ? <LoadError error={error} onRetry={() => run()} /> : null}
      {isRunning ? (
        <>
          <Text size="xs" role="status">
            {`${withNoun(count, 'line')} so far`}
          </Text>
          <Button size="compact-xs" onClick={stop}>
            Stop
          </Button>
        </>
      ) : null}
      <Button size="compact-xs" loading={isRunning} onClick={() => run()}>
        Download CSV
      </Button>
    </>
  );
}

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
async function firstLines(
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
async function statementFile(
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
