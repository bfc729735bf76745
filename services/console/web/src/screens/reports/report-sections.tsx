import type { UseQueryResult } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import { ChartPanel } from '../../components/chart.tsx';
import { DeliveryFigure } from '../../components/delivery-figure.tsx';
import { Figure } from '../../components/figure.tsx';
import { OutcomePanel } from '../../components/outcome-panel.tsx';
import { acceptedShareOf, receivedOf, sumOf, undeliveredOf } from '../../figures.ts';
import { type FiguresOf, useDeliveries, useIntake, useValue } from '../../figures-query.ts';
import { formatDuration, formatPounds } from '../../format.ts';

/** A section of the reports. */
export type Report = FunctionComponent<{ readonly of: FiguresOf }>;

/** How long something took, by day. */
export const DurationPanel = <Day extends { readonly day: string }>({
  title,
  query,
  p50,
  p95,
}: {
  readonly title: string;
  readonly query: UseQueryResult<{ readonly days: readonly Day[] }>;
  readonly p50: (day: Day) => bigint | undefined;
  readonly p95: (day: Day) => bigint | undefined;
}) => (
  <ChartPanel
    title={title}
    query={query}
    kind="lines"
    format={formatDuration}
    daysOf={({ days }) => days}
    series={[
      ['p50', 'blue', p50],
      ['p95', 'amber', p95],
    ]}
  />
);

/** How many submissions were received, and how long decisions took. */
export const IntakeFigures: Report = ({ of }) => {
  const { data, error } = useIntake(of);
  const days = data?.days ?? [];
  const received = sumOf(days, receivedOf);
  const { decisionP50Ms: p50, decisionP95Ms: p95 } = data ?? {};
  return (
    <>
      <Figure
        label="Received"
        value={data && received.toLocaleString('en-GB')}
        detail={
          received > 0n
            ? `${acceptedShareOf(days)} accepted, ${sumOf(days, ({ undecided }) => undecided).toLocaleString('en-GB')} undecided`
            : 'No submissions in this period'
        }
        error={error}
      />
      <Figure
        label="Decision time, p95"
        value={data && (p95 === undefined ? '—' : formatDuration(Number(p95)))}
        detail={p50 === undefined ? 'No decisions in this period' : `p50 ${formatDuration(Number(p50))}`}
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
        title="Decision time"
        query={query}
        p50={(day) => day.decisionP50Ms}
        p95={(day) => day.decisionP95Ms}
      />
    </>
  );
};

export const DeliveryFigures: Report = ({ of }) => <DeliveryFigure label="Webhooks delivered" of={of} />;

/** Webhook events by outcome, and the time to their first attempt, by day. */
export const DeliveryCharts: Report = ({ of }) => {
  const query = useDeliveries(of);
  return (
    <>
      <ChartPanel
        title="Webhook events by outcome"
        query={query}
        kind="stacked"
        format={String}
        daysOf={({ days }) => days}
        series={[
          ['Delivered at first attempt', 'green', (day) => day.deliveredAtFirst],
          ['Delivered later', 'blue', (day) => day.delivered - day.deliveredAtFirst],
          ['In progress', 'amber', (day) => day.pending],
          ['Never delivered', 'red', (day) => undeliveredOf(day)],
          ['Superseded or dropped', 'gray', (day) => day.superseded + day.dropped],
        ]}
      />
      <DurationPanel
        title="Time from change to first attempt"
        query={query}
        p50={(day) => day.firstAttemptP50Ms}
        p95={(day) => day.firstAttemptP95Ms}
      />
    </>
  );
};

/** What was charged and credited. */
export const ValueFigure: Report = ({ of }) => {
  const { data, error } = useValue(of);
  const periods = data?.periods ?? [];
  return (
    <Figure
      label="Charged, production"
      value={data && formatPounds(sumOf(periods, (one) => one.chargedPence))}
      detail={`${formatPounds(sumOf(periods, (one) => one.creditedPence))} credited`}
      error={error}
    />
  );
};

/** Charges and credits over time. */
export const ValueChart: Report = ({ of }) => (
  <ChartPanel
    title="Charged and credited, production"
    query={useValue(of)}
    kind="lines"
    format={formatPounds}
    daysOf={({ periods }) => periods.map((one) => ({ ...one, day: one.period }))}
    series={[
      ['Charged', 'green', (day) => day.chargedPence],
      ['Credited', 'red', (day) => day.creditedPence],
    ]}
  />
);
