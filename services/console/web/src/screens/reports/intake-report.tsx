import type { IntakeOfAccount } from '@supplier/proto/submission/v1/intake';
import { useQuery } from '@tanstack/react-query';
import { CapBar } from '../../components/cap-bar.tsx';
import { Figure } from '../../components/figure.tsx';
import { OutcomePanel } from '../../components/outcome-panel.tsx';
import { Panel, PanelBody } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { accountQuery, SupplierName } from '../../components/supplier-name.tsx';
import { acceptedShareOf, receivedOf, sumOf } from '../../figures.ts';
import { MAX_ACCOUNTS, MOST_SUBMISSIONS, useIntake } from '../../figures-query.ts';
import { formatDuration } from '../../format.ts';
import { DurationPanel, type Report } from './report.tsx';
import { REPORTS } from './reports-texts.ts';

/** Number of suppliers whose caps are loaded. */
const MAX_CAPPED = 10;

/** How many submissions were received, and how long decisions took. */
export const IntakeFigures: Report = ({ of }) => {
  const { data, error } = useIntake(of);
  const days = data?.days ?? [];
  const received = sumOf(days, receivedOf);
  const { decisionP50Ms: p50, decisionP95Ms: p95 } = data ?? {};
  return (
    <>
      <Figure
        label={REPORTS.received}
        value={data && received.toLocaleString('en-GB')}
        detail={
          received > 0n
            ? REPORTS.outcomes(
                acceptedShareOf(days),
                sumOf(days, ({ undecided }) => undecided).toLocaleString('en-GB'),
              )
            : REPORTS.noSubmissions
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

/** Submissions by outcome, and decision times, by day. */
export const IntakeCharts: Report = ({ of }) => {
  const query = useIntake(of);
  return (
    <>
      <OutcomePanel query={query} />
      <DurationPanel
        title={REPORTS.decisionTime}
        query={query}
        p50={(day) => day.decisionP50Ms}
        p95={(day) => day.decisionP95Ms}
      />
    </>
  );
};

/** Outcomes by supplier, and how much of their caps suppliers have used. */
export const SuppliersPanel: Report = ({ of }) => (
  <Panel title={REPORTS.suppliers} query={useIntake(of)} isFlush>
    {({ accounts: counted }) => (
      <>
        <SimpleTable
          label={REPORTS.suppliers}
          empty={REPORTS.noSubmissions}
          heads={HEADS}
          numbers={HEADS.slice(1)}
          rows={counted.map(rowOf)}
        />
        {counted.length === MAX_ACCOUNTS ? <PanelBody>{MOST_SUBMISSIONS}</PanelBody> : null}
        {counted.length > MAX_CAPPED ? <PanelBody>{REPORTS.capsOfFirst(MAX_CAPPED)}</PanelBody> : null}
      </>
    )}
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
    receivedOf(of).toLocaleString('en-GB'),
    of.accepted.toLocaleString('en-GB'),
    of.duplicates.toLocaleString('en-GB'),
    of.rejected.toLocaleString('en-GB'),
    of.returned.toLocaleString('en-GB'),
    of.undecided.toLocaleString('en-GB'),
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
  const { data } = useQuery({ ...accountQuery(accountId), enabled: isLoaded });
  const most = data?.terms?.caps?.[cap];
  return most === undefined ? used.toLocaleString('en-GB') : <CapBar used={used} cap={most} />;
}
