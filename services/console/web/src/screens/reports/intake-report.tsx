import { Progress, Text } from '@mantine/core';
import type { IntakeOfAccount, IntakeOfDay } from '@supplier/proto/submission/v1/intake';
import { useQuery } from '@tanstack/react-query';
import { accounts, submissions } from '../../calls.ts';
import { ChartPanel } from '../../components/chart.tsx';
import { Figure } from '../../components/figure.tsx';
import { Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { figuresQuery, MAX_ACCOUNTS, MOST_SUBMISSIONS, numbersOf } from '../../figures-query.ts';
import { formatDuration, formatShare } from '../../format.ts';
import type { Report, ReportOf } from './report.ts';
import { REPORTS } from './reports-texts.ts';

/** Number of suppliers whose caps are loaded. */
const MAX_CAPPED = 10;
const NEARLY = 0.8;
const PERCENT = 100;

const useIntakeOf = (of: ReportOf) =>
  useQuery({
    ...figuresQuery,
    queryKey: ['intake', of],
    queryFn: ({ signal }) => submissions.getIntake(of, { signal }),
  });

/** How many submissions were received, and how long decisions took. */
export const IntakeFigures: Report = ({ of }) => {
  const { data, error } = useIntakeOf(of);
  const received = sumOf(data?.days, receivedOf);
  const accepted = sumOf(data?.days, (day) => day.accepted + day.returned);
  const { decisionP50Ms: p50, decisionP95Ms: p95 } = data ?? {};
  return (
    <>
      <Figure
        label={REPORTS.received}
        value={data && received.toLocaleString('en-GB')}
        detail={
          received > 0 ? REPORTS.acceptedShare(formatShare(accepted / received)) : REPORTS.noSubmissions
        }
        error={error}
      />
      <Figure
        label={REPORTS.decisionTimeP95}
        value={data && (p95 === undefined ? '—' : formatDuration(Number(p95)))}
        detail={p50 === undefined ? REPORTS.noDecisions : REPORTS.p50Is(formatDuration(Number(p50)))}
        error={error}
      />
    </>
  );
};

const receivedOf = (of: IntakeOfDay | IntakeOfAccount): bigint =>
  of.accepted + of.duplicates + of.rejected + of.returned + of.undecided;
const sumOf = (days: readonly IntakeOfDay[] | undefined, pick: (day: IntakeOfDay) => bigint): number =>
  Number((days ?? []).reduce((sum, day) => sum + pick(day), 0n));

/** Submissions by outcome, and decision times, by day. */
export const IntakeCharts: Report = ({ of }) => {
  const query = useIntakeOf(of);
  return (
    <>
      <ChartPanel
        title={REPORTS.outcomes}
        query={query}
        period={REPORTS.day}
        kind="stacked"
        format={String}
        chart={({ days }) => ({
          periods: days.map(({ day }) => day),
          series: [
            { name: REPORTS.accepted, color: 'green', values: numbersOf(days, (day) => day.accepted) },
            { name: REPORTS.rejected, color: 'gray', values: numbersOf(days, (day) => day.rejected) },
            { name: REPORTS.duplicate, color: 'amber', values: numbersOf(days, (day) => day.duplicates) },
            { name: REPORTS.returned, color: 'red', values: numbersOf(days, (day) => day.returned) },
            { name: REPORTS.undecided, color: 'blue', values: numbersOf(days, (day) => day.undecided) },
          ],
        })}
      />
      <ChartPanel
        title={REPORTS.decisionTime}
        query={query}
        period={REPORTS.day}
        kind="lines"
        format={formatDuration}
        chart={({ days }) => ({
          periods: days.map(({ day }) => day),
          series: [
            { name: REPORTS.p50, color: 'blue', values: numbersOf(days, (day) => day.decisionP50Ms) },
            { name: REPORTS.p95, color: 'amber', values: numbersOf(days, (day) => day.decisionP95Ms) },
          ],
        })}
      />
    </>
  );
};

/** Outcomes by supplier, and how much of their caps suppliers have used. */
export const SuppliersPanel: Report = ({ of }) => (
  <Panel title={REPORTS.suppliers} query={useIntakeOf(of)} isFlush>
    {({ accounts: counted }) =>
      counted.length === 0 ? (
        <p className="empty">{REPORTS.noSubmissions}</p>
      ) : (
        <>
          <SimpleTable
            label={REPORTS.suppliers}
            heads={HEADS}
            numbers={HEADS.slice(1)}
            rows={counted.map(rowOf)}
          />
          {counted.length === MAX_ACCOUNTS ? <p className="empty">{MOST_SUBMISSIONS}</p> : null}
          {counted.length > MAX_CAPPED ? <p className="empty">{REPORTS.capsOfFirst(MAX_CAPPED)}</p> : null}
        </>
      )
    }
  </Panel>
);

const HEADS = [
  REPORTS.supplier,
  REPORTS.received,
  REPORTS.accepted,
  REPORTS.duplicate,
  REPORTS.rejected,
  REPORTS.returned,
  REPORTS.undecided,
  REPORTS.acceptedToday,
  REPORTS.acceptedThisMonth,
];

function rowOf(of: IntakeOfAccount, place: number) {
  const caps = { accountId: of.accountId, isLoaded: place < MAX_CAPPED };
  return [
    <SupplierName key="supplier" accountId={of.accountId} />,
    String(receivedOf(of)),
    String(of.accepted),
    String(of.duplicates),
    String(of.rejected),
    String(of.returned),
    String(of.undecided),
    <CapUsed key="day" {...caps} used={of.acceptedToday} cap="acceptedPerDay" />,
    <CapUsed key="month" {...caps} used={of.acceptedThisMonth} cap="acceptedPerMonth" />,
  ];
}

interface CapUsedProps {
  readonly accountId: string;
  readonly used: bigint;
  readonly cap: 'acceptedPerDay' | 'acceptedPerMonth';
  readonly isLoaded: boolean;
}

/** How much of a cap is used, if there is a cap. */
function CapUsed({ accountId, used, cap, isLoaded }: CapUsedProps) {
  const { data } = useQuery({
    ...figuresQuery,
    queryKey: ['account', accountId],
    queryFn: ({ signal }) => accounts.getAccount({ accountId }, { signal }),
    enabled: isLoaded,
  });
  const most = data?.terms?.caps?.[cap];
  if (most === undefined) return String(used);
  const share = most === 0 ? 1 : Number(used) / most;
  return (
    <>
      <Text size="sm">{REPORTS.ofCap(String(used), most)}</Text>
      <Progress
        size="sm"
        value={share * PERCENT}
        color={share > NEARLY ? 'amber' : 'blue'}
        aria-label={REPORTS.ofCap(String(used), most)}
      />
    </>
  );
}
