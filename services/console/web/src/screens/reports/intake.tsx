import { Text } from '@mantine/core';
import type { IntakeOfAccount } from '@supplier/proto/submission/v1/intake';
import { useQuery } from '@tanstack/react-query';
import { accounts, submissions } from '../../calls.ts';
import { CapBar } from '../../components/cap-bar.tsx';
import { Chart } from '../../components/chart.tsx';
import { OutcomeChart } from '../../components/outcome-chart.tsx';
import { Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { formatDuration } from '../../format.ts';
import { type FiguresOf, figuresQuery, numbersOf } from '../../parts/figures-of.ts';

/** Number of suppliers whose caps are loaded. */
const MAX_CAPPED = 10;
const COUNTS = ['accepted', 'rejected', 'duplicates', 'returned', 'undecided'] as const;
const HEADS = ['Received', 'Accepted', 'Rejected', 'Duplicate', 'Returned', 'Undecided'] as const;

/** Submissions by outcome, decision times, and how much of their caps suppliers have used. */
export function IntakePanel({ of }: { readonly of: FiguresOf }) {
  const query = useQuery({
    ...figuresQuery,
    queryKey: ['intake', of],
    queryFn: ({ signal }) => submissions.getIntake(of, { signal }),
  });
  return (
    <>
      <Panel title="Intake" query={query}>
        {({ days, decisionP50Ms, decisionP95Ms }) => (
          <>
            <OutcomeChart title="Submissions by outcome" days={days} />
            <Chart
              title="Decision time"
              period="Day"
              periods={days.map(({ day }) => day)}
              kind="lines"
              format={formatDuration}
              series={[
                { name: 'p50', values: numbersOf(days, (day) => day.decisionP50Ms) },
                { name: 'p95', values: numbersOf(days, (day) => day.decisionP95Ms) },
              ]}
            />
            <Text size="sm" c="dimmed">
              {decisionP50Ms === undefined || decisionP95Ms === undefined
                ? 'No decisions.'
                : `Decision time: p50 ${formatDuration(Number(decisionP50Ms))}, p95 ${formatDuration(Number(decisionP95Ms))}.`}
            </Text>
          </>
        )}
      </Panel>
      <Panel title="Suppliers and caps" query={query} isFlush>
        {({ accounts: counted }) =>
          counted.length === 0 ? (
            <p className="empty">No submissions.</p>
          ) : (
            <>
              <SimpleTable
                label="Suppliers and caps"
                heads={['Supplier', ...HEADS, 'Accepted today', 'Accepted this month']}
                numbers={HEADS}
                rows={counted.map(rowOf)}
              />
              {counted.length > MAX_CAPPED ? (
                <p className="empty">
                  Caps of the first {MAX_CAPPED} suppliers. Filter by supplier to see its caps.
                </p>
              ) : null}
            </>
          )
        }
      </Panel>
    </>
  );
}

const rowOf = (counted: IntakeOfAccount, place: number) => [
  <SupplierName key="supplier" accountId={counted.accountId} />,
  String(COUNTS.reduce((sum, outcome) => sum + counted[outcome], 0n)),
  ...COUNTS.map((outcome) => String(counted[outcome])),
  <CapUse key="day" counted={counted} cap="acceptedPerDay" isLoaded={place < MAX_CAPPED} />,
  <CapUse key="month" counted={counted} cap="acceptedPerMonth" isLoaded={place < MAX_CAPPED} />,
];

interface CapUseProps {
  readonly counted: IntakeOfAccount;
  readonly cap: 'acceptedPerDay' | 'acceptedPerMonth';
  readonly isLoaded: boolean;
}

/** How much of a cap a supplier has used, or the number without a cap. */
function CapUse({ counted: { accountId, acceptedToday, acceptedThisMonth }, cap, isLoaded }: CapUseProps) {
  const { data } = useQuery({
    ...figuresQuery,
    queryKey: ['account', accountId],
    queryFn: ({ signal }) => accounts.getAccount({ accountId }, { signal }),
    enabled: isLoaded,
  });
  const used = cap === 'acceptedPerDay' ? acceptedToday : acceptedThisMonth;
  const most = data?.terms?.caps?.[cap];
  return most === undefined ? String(used) : <CapBar used={used} cap={most} />;
}
