import { Badge } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { EntryKind, EntryKindSchema, type StatementLine } from '@supplier/proto/billing/v1/billing';
import { BillingModelSchema } from '@supplier/proto/common/v1/status';
import { useQuery } from '@tanstack/react-query';
import { enumColumn, idColumn, moneyColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Money } from '../../components/money.tsx';
import { SubmissionLink } from '../../components/mono.tsx';
import { completeList, MAX_ROWS } from '../../components/paged-list.ts';
import { ExactTime } from '../../components/time.tsx';
import { enumLabel } from '../../format.ts';
import { notRepeated } from '../../queries.ts';
import { firstLines } from './line-stream.ts';
import { StatementDownload } from './statement-download.tsx';
import type { StatementKey } from './statement-queries.ts';
import { STATEMENT } from './statement-texts.ts';

/** The lines of a statement, up to 10,000, and the file with all of them. */
export function StatementLines({ of }: { readonly of: StatementKey }) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['statement-lines', of],
    queryFn: ({ signal }) => firstLines(of, signal),
    ...notRepeated,
  });
  return (
    <DataTable
      label={STATEMENT.lines}
      hasTitle
      actions={<StatementDownload {...of} />}
      columns={COLUMNS}
      list={completeList(data?.lines ?? NONE, { error, isFetching, refresh: () => void refetch() })}
      keyOf={({ entryId }) => entryId}
      empty={STATEMENT.noLinesHelp}
      limitReached={
        data?.hasMore ? STATEMENT.firstLines(MAX_ROWS.toLocaleString('en-GB')) : STATEMENT.allLines
      }
    />
  );
}

const NONE: readonly StatementLine[] = [];
const COLUMNS: readonly Column<StatementLine>[] = [
  {
    name: STATEMENT.occurred,
    cell: ({ occurredAt }) => <ExactTime at={occurredAt} />,
    order: ({ occurredAt }) => occurredAt?.seconds ?? 0n,
  },
  {
    name: STATEMENT.reference,
    cell: ({ submissionId, externalReference }) => (
      <SubmissionLink submissionId={submissionId}>
        {visible(externalReference || submissionId)}
      </SubmissionLink>
    ),
    order: ({ externalReference }) => externalReference,
    isRowHeader: true,
  },
  enumColumn(STATEMENT.kind, EntryKindSchema, ({ kind }) => kind, {
    cell: ({ kind }) => (
      <Badge color={kind === EntryKind.CREDIT ? 'red' : 'gray'}>{enumLabel(EntryKindSchema, kind)}</Badge>
    ),
  }),
  enumColumn(STATEMENT.model, BillingModelSchema, ({ billingModel }) => billingModel),
  moneyColumn(STATEMENT.net, ({ netPence }) => netPence, {
    cell: ({ netPence }) =>
      netPence === undefined ? <Badge color="amber">{STATEMENT.noPrice}</Badge> : <Money pence={netPence} />,
  }),
  idColumn(STATEMENT.submission, ({ submissionId }) => submissionId, { isOptional: true }),
];
