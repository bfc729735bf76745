import { Badge, Button, Text } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { EntryKind, EntryKindSchema, type StatementLine } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { enumColumn, idColumn, moneyColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { LoadError } from '../../components/load-error.tsx';
import { Money } from '../../components/money.tsx';
import { SubmissionLink } from '../../components/mono.tsx';
import { completeList, MAX_ROWS, notRepeated } from '../../components/paged-list.ts';
import { ExactTime } from '../../components/time.tsx';
import { enumLabel, withNoun } from '../../format.ts';
import { saveFile } from '../../save-file.ts';
import { useStoppable } from '../../stoppable.ts';
import { firstLines, statementFile } from './line-stream.ts';
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
