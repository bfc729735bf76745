import { Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { visible } from '@supplier/lib/text/visible';
import { Status } from '@supplier/proto/common/v1/status';
import type { DryRunExample, DryRunPolicyResponse } from '@supplier/proto/submission/v1/policy_effects';
import { submissionColumn, textColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Figure } from '../../components/figure.tsx';
import { completeList } from '../../components/paged-list.ts';
import { SimpleTable } from '../../components/simple-table.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { effectOf, isWithoutEffect } from './effect-of.ts';

const MAX_EXAMPLES = 100;

interface ResultProps {
  readonly result: DryRunPolicyResponse;
  readonly isRunning: boolean;
}

/** How many submissions would be decided differently, by which rules, and which ones. */
export const DryRunResult = (props: ResultProps) => {
  const { changes, examples } = props.result;
  return (
    <Stack gap="md" mt="md">
      <DryRunEffect {...props} />
      {changes.length === 0 ? null : (
        <section>
          <Title order={3}>Changed decisions</Title>
          <SimpleTable
            label="Changed decisions"
            heads={['Before', 'Rule before', 'After', 'Rule after', 'Submissions']}
            numbers={['Submissions']}
            rows={changes.map(({ from, to, fromRule, toRule, count }) => [
              <Decision key="from" status={from} />,
              visible(fromRule),
              <Decision key="to" status={to} />,
              visible(toRule),
              count.toLocaleString('en-GB'),
            ])}
          />
        </section>
      )}
      {examples.length === 0 ? null : (
        <DataTable
          label="Changed submissions"
          noun="submission"
          hasTitle
          actions={examples.length < MAX_EXAMPLES ? null : `The first ${String(MAX_EXAMPLES)} are listed.`}
          columns={EXAMPLES}
          list={completeList(examples)}
          keyOf={({ submissionId }) => submissionId}
          empty=""
        />
      )}
    </Stack>
  );
};

const EXAMPLES: readonly Column<DryRunExample>[] = [
  submissionColumn('Submission'),
  { name: 'Before', cell: ({ from }) => <Decision status={from} />, order: ({ from }) => from },
  { name: 'After', cell: ({ to }) => <Decision status={to} />, order: ({ to }) => to },
  textColumn('Rule after', ({ toRule }) => toRule),
  textColumn('Reason', ({ reason }) => reason),
];

/** The counts of a dry run, and how many submissions have each decision before and after. */
export function DryRunEffect({ result, isRunning }: ResultProps) {
  const { lookedAt, total, changed, unchanged, unchangedByAnotherRule, passedOver, failed } = result;
  const state = result.finished ? 'Finished' : isRunning ? 'In progress' : 'Stopped early';
  const figures = [
    { label: 'Changed', value: changed, isBad: changed > 0n },
    {
      label: 'Unchanged',
      value: unchanged,
      detail: `${String(unchangedByAnotherRule)} by another rule`,
    },
    { label: 'Skipped', value: passedOver, detail: 'Undecided, decided by staff, or erased' },
    {
      label: 'Failed',
      value: failed,
      detail: 'A condition failed, so they stay undecided',
      isBad: failed > 0n,
    },
  ];
  return (
    <>
      {isRunning ? (
        <Progress value={total > 0n ? (Number(lookedAt) / Number(total)) * 100 : 0} aria-label="Dry run" />
      ) : null}
      <Text size="sm" role="status">
        {`${state}: ${lookedAt.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')} submissions`}
      </Text>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm" role="group" aria-label="Counts">
        {figures.map(({ value, ...figure }) => (
          <Figure key={figure.label} value={value.toLocaleString('en-GB')} {...figure} />
        ))}
      </SimpleGrid>
      {result.changes.length > 0 ? (
        <section>
          <Title order={3}>Effect on decisions</Title>
          <SimpleTable
            label="Effect on decisions"
            heads={['Decision', 'Before', 'After', 'Difference']}
            numbers={['Before', 'After', 'Difference']}
            rows={effectOf(result.changes).map(({ status, before, after }) => [
              <Decision key="status" status={status} />,
              before.toLocaleString('en-GB'),
              after.toLocaleString('en-GB'),
              signed.format(after - before).replace('-', '−'),
            ])}
          />
        </section>
      ) : null}
      {isWithoutEffect(result) ? <p>No decision would change.</p> : null}
    </>
  );
}

const signed = new Intl.NumberFormat('en-GB', { signDisplay: 'exceptZero' });

/** A decision, or that a submission would stay undecided. */
const Decision = ({ status }: { readonly status: Status }) =>
  status === Status.UNSPECIFIED ? 'Undecided' : <StatusBadge status={status} />;
