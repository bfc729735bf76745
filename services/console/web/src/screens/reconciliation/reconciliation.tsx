import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { Badge, Button, Code, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { STAFF_SERVICES } from '@supplier/lib/rpc/staff-contracts';
import { visible } from '@supplier/lib/text/visible';
import { RepairOutcome, RepairOutcomeSchema } from '@supplier/proto/reconciliation/v1/reconciliation';
import { useState } from 'react';
import { ConfirmDialog } from '../../actions/confirm-dialog.tsx';
import { enumColumn, textColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { DateTimeField } from '../../components/fields.tsx';
import { Figure } from '../../components/figure.tsx';
import { ShortId, SubmissionLink } from '../../components/mono.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { completeList } from '../../components/paged-list.ts';
import { PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { capitalize, enumLabel, formatTime, spaced, UUID, withNoun } from '../../format.ts';
import { periodOf, rangeOf } from './period.ts';
import { type Progress, summaryOf } from './progress.ts';
import type { Comparison } from './reconcile.ts';
import { type ComparisonResults, type Found, useReconciliation } from './use-reconciliation.ts';

/** Compares the records of all services when a person starts it, for as long as they stay on this screen. */
export function ReconciliationScreen() {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  const { results, begin, stop } = useReconciliation();
  const { since, until, isTooOld, isReversed } = periodOf(from, to, Date.now());
  const isRunning = results?.isRunning ?? false;
  const flags = `${since ? ` --since ${since}` : ''}${until ? ` --until ${until}` : ''}`;
  return (
    <>
      <PageHeader
        title="Reconciliation"
        actions={
          results && (results.differences.length > 0 || results.comparison.repair) ? (
            <RepairAction results={results} begin={begin} />
          ) : null
        }
      />
      <Stack gap="md">
        <PanelFrame title="Compare records">
          <Text size="sm" c="dimmed" mb="sm">
            Compares the ledger with submissions and statements, webhooks with status changes, and documents
            with submissions and stored objects, in both directions. It stops when you leave this screen.
          </Text>
          <form
            onSubmit={(event) => {
              event.preventDefault();
              if (!isRunning && !isTooOld && !isReversed)
                begin({ ...rangeOf({ since, until }, Date.now()), repair: false });
            }}
          >
            <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={0} maw={800}>
              <DateTimeField
                label="Changes since"
                description="Leave empty for the last 24 hours. At most seven days ago."
                path="since"
                value={from}
                error={isTooOld ? 'Enter a time within the last seven days.' : undefined}
                onChange={setFrom}
              />
              <DateTimeField
                label="Changes before"
                description="Leave empty for one minute ago."
                path="until"
                value={to}
                error={isReversed ? 'Enter a time after the start.' : undefined}
                onChange={setTo}
              />
            </SimpleGrid>
            <Group gap="xs">
              <Button type="submit" variant="filled" disabled={isRunning || isTooOld || isReversed}>
                Compare
              </Button>
              {isRunning ? <Button onClick={stop}>Stop</Button> : null}
              <Text size="xs" c="dimmed">
                In a terminal: <Code>sss reconcile{flags}</Code>
              </Text>
            </Group>
          </form>
        </PanelFrame>
        {results ? (
          <Findings results={results} />
        ) : (
          <Text c="dimmed">Nothing has been compared yet. Choose a period and select Compare.</Text>
        )}
      </Stack>
    </>
  );
}

interface RepairProps {
  /** The comparison that found the differences. */
  readonly results: ComparisonResults;
  readonly begin: (comparison: Comparison) => void;
}

/** Repeats the comparison with repairs. The results replace the differences on the screen. */
function RepairAction({ results: { comparison, differences, isRunning }, begin }: RepairProps) {
  const { since, until } = comparison;
  return (
    <ConfirmDialog
      name="Repair differences"
      description={`Found ${withNoun(differences.length, 'difference')}. Compares all changes from ${formatTime(timestampFromDate(since))} until ${formatTime(timestampFromDate(until))} again, posts missing ledger lines, sends lost webhook events and removes unreferenced objects. This cannot be undone.`}
      environment="both"
      command={`sss reconcile --since ${since.toISOString()} --until ${until.toISOString()} --repair --yes`}
      // A running comparison would lose its findings.
      isReady={!isRunning}
      unready="Wait until the comparison has finished."
      isDestructive
      run={async () => begin({ ...comparison, repair: true })}
      toastOf={() => ({ message: 'Repair started' })}
    />
  );
}

/** The progress of each service, the differences of all of them, and their backlogs. */
const Findings = ({ results }: { readonly results: ComparisonResults }) => (
  <>
    <SimpleGrid
      cols={{ base: 2, sm: 3, lg: STAFF_SERVICES.length }}
      spacing="md"
      role="group"
      aria-label="Progress by service"
    >
      {STAFF_SERVICES.map((service) => (
        <Figure
          key={service}
          label={capitalize(service)}
          value={results.services[service].compared.toLocaleString('en-GB')}
          detail={
            <>
              compared <Ending progress={results.services[service]} />
            </>
          }
        />
      ))}
    </SimpleGrid>
    <Text role="status">{summaryOf(results)}</Text>
    <section>
      <DataTable
        label="Differences"
        noun="difference"
        hasTitle
        columns={COLUMNS}
        list={completeList(results.differences)}
        keyOf={({ place }) => String(place)}
        empty={results.isRunning ? 'No differences so far.' : 'No differences: the compared records match.'}
        limitReached=""
      />
      {results.isCut ? (
        <Text size="sm">
          Only the first 2,000 differences of a service are listed. Compare a shorter period.
        </Text>
      ) : null}
      {results.differences.length > 0 ? (
        <Text size="sm" c="dimmed" mt="xs">
          For differences that can’t be repaired automatically, follow docs/reconciling.md.
        </Text>
      ) : null}
    </section>
    <PanelFrame title="Backlogs" isFlush>
      <SimpleTable
        label="Backlogs"
        empty="No backlogs."
        heads={['Backlog', 'Service', 'Count', 'Explanation']}
        numbers={['Count']}
        rows={results.backlogs.map(({ service, finding: { what, target, count, explanation } }) => [
          visible(what === target ? differenceName(what) : `${differenceName(what)} ${target}`),
          capitalize(service),
          count.toLocaleString('en-GB'),
          visible(capitalize(explanation)),
        ])}
      />
    </PanelFrame>
  </>
);

/** How the comparison of a service stands, and why it failed. */
function Ending({ progress: { ending } }: { readonly progress: Progress }) {
  if (ending === undefined) return <Badge color="blue">Running</Badge>;
  if (ending === 'done') return <Badge color="green">Done</Badge>;
  if (ending === 'stopped') return <Badge color="gray">Stopped</Badge>;
  return (
    <>
      <Badge color="red">Failed</Badge> <span role="alert">{ending.refusal}</span>
    </>
  );
}

/** Returns the kind of a difference in words: "Missing line". */
const differenceName = (what: string): string => capitalize(spaced(what));

/** The target of a difference. Billing and webhook report submissions. */
function Target({ service, finding: { target } }: Found) {
  const isSubmission = (service === 'billing' || service === 'webhook') && UUID.test(target);
  return isSubmission ? <SubmissionLink submissionId={target} /> : <ShortId id={visible(target)} />;
}

const REPAIR_COLORS = {
  [RepairOutcome.UNSPECIFIED]: 'gray',
  [RepairOutcome.REPAIRED]: 'green',
  [RepairOutcome.NOT_POSSIBLE]: 'amber',
} as const satisfies Record<RepairOutcome, string>;

const COLUMNS: readonly Column<Found>[] = [
  {
    name: 'Target',
    cell: (found) => <Target {...found} />,
    order: ({ finding }) => finding.target,
  },
  textColumn('Service', ({ service }) => capitalize(service)),
  textColumn('Difference', ({ finding }) => differenceName(finding.what)),
  {
    name: 'Supplier',
    cell: ({ finding: { accountId } }) => (accountId === '' ? null : <SupplierName accountId={accountId} />),
  },
  enumColumn('Repair', RepairOutcomeSchema, ({ finding }) => finding.repair, {
    cell: ({ finding: { repair } }) =>
      repair === RepairOutcome.UNSPECIFIED ? null : (
        <Badge color={REPAIR_COLORS[repair]}>{enumLabel(RepairOutcomeSchema, repair)}</Badge>
      ),
  }),
  textColumn('Explanation', ({ finding }) => capitalize(finding.explanation)),
];
