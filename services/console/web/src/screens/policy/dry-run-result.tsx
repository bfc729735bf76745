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
import { POLICY } from './policy-texts.ts';

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
          <Title order={3}>{POLICY.changedDecisions}</Title>
          <SimpleTable
            label={POLICY.changedDecisions}
            heads={[POLICY.before, POLICY.ruleBefore, POLICY.after, POLICY.ruleAfter, POLICY.submissions]}
            numbers={[POLICY.submissions]}
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
          label={POLICY.changedSubmissions}
          hasTitle
          actions={examples.length < MAX_EXAMPLES ? null : POLICY.onlyFirst(String(MAX_EXAMPLES))}
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
  submissionColumn(POLICY.submission),
  { name: POLICY.before, cell: ({ from }) => <Decision status={from} />, order: ({ from }) => from },
  { name: POLICY.after, cell: ({ to }) => <Decision status={to} />, order: ({ to }) => to },
  textColumn(POLICY.ruleAfter, ({ toRule }) => toRule),
  textColumn(POLICY.reason, ({ reason }) => reason),
];

/** The counts of a dry run, and how many submissions have each decision before and after. */
export function DryRunEffect({ result, isRunning }: ResultProps) {
  const { lookedAt, total, changed, unchanged, unchangedByAnotherRule, passedOver, failed } = result;
  const state = result.finished ? POLICY.finished : isRunning ? POLICY.running : POLICY.stoppedEarly;
  const figures = [
    { label: POLICY.changed, value: changed, isBad: changed > 0n },
    {
      label: POLICY.unchanged,
      value: unchanged,
      detail: POLICY.byAnotherRule(String(unchangedByAnotherRule)),
    },
    { label: POLICY.skipped, value: passedOver, detail: POLICY.skippedHelp },
    { label: POLICY.failed, value: failed, detail: POLICY.failedHelp, isBad: failed > 0n },
  ];
  return (
    <>
      {isRunning ? (
        <Progress
          value={total > 0n ? (Number(lookedAt) / Number(total)) * 100 : 0}
          aria-label={POLICY.dryRun}
        />
      ) : null}
      <Text size="sm" role="status">
        {POLICY.progress(state, lookedAt.toLocaleString('en-GB'), total.toLocaleString('en-GB'))}
      </Text>
      <SimpleGrid cols={{ base: 2, lg: 4 }} spacing="sm" role="group" aria-label={POLICY.counts}>
        {figures.map(({ value, ...figure }) => (
          <Figure key={figure.label} value={value.toLocaleString('en-GB')} {...figure} />
        ))}
      </SimpleGrid>
      {result.changes.length > 0 ? (
        <section>
          <Title order={3}>{POLICY.effect}</Title>
          <SimpleTable
            label={POLICY.effect}
            heads={[POLICY.decision, POLICY.before, POLICY.after, POLICY.difference]}
            numbers={[POLICY.before, POLICY.after, POLICY.difference]}
            rows={effectOf(result.changes).map(({ status, before, after }) => [
              <Decision key="status" status={status} />,
              before.toLocaleString('en-GB'),
              after.toLocaleString('en-GB'),
              signed.format(after - before).replace('-', '−'),
            ])}
          />
        </section>
      ) : null}
      {isWithoutEffect(result) ? <p>{POLICY.noChange}</p> : null}
    </>
  );
}

const signed = new Intl.NumberFormat('en-GB', { signDisplay: 'exceptZero' });

/** A decision, or that a submission would stay undecided. */
const Decision = ({ status }: { readonly status: Status }) =>
  status === Status.UNSPECIFIED ? POLICY.undecided : <StatusBadge status={status} />;
