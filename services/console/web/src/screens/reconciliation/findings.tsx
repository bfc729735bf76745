import { Badge, SimpleGrid, Text } from '@mantine/core';
import { STAFF_SERVICES } from '@supplier/lib/rpc/staff-contracts';
import { visible } from '@supplier/lib/text/visible';
import { RepairOutcome, RepairOutcomeSchema } from '@supplier/proto/reconciliation/v1/reconciliation';
import { enumColumn, textColumn } from '../../components/columns.tsx';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Figure } from '../../components/figure.tsx';
import { ShortId, SubmissionLink } from '../../components/mono.tsx';
import { completeList } from '../../components/paged-list.ts';
import { PanelFrame } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { capitalize, enumLabel, spaced, UUID } from '../../format.ts';
import { type Progress, summaryOf } from './progress.ts';
import type { ComparisonResults, Found } from './use-reconciliation.ts';

/** The progress of each service, the differences of all of them, and their backlogs. */
export const Findings = ({ results }: { readonly results: ComparisonResults }) => (
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
