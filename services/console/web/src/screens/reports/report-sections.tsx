import type { UseQueryResult } from '@tanstack/react-query';
import type { FunctionComponent } from 'react';
import { ChartPanel } from '../../components/chart.tsx';
import { DeliveryFigure } from '../../components/delivery-figure.tsx';
import { Figure } from '../../components/figure.tsx';
import { OutcomePanel } from '../../components/outcome-panel.tsx';
import { acceptedShareOf, numbersOf, receivedOf, sumOf, undeliveredOf } from '../../figures.ts';
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
    period="Day"
    kind="lines"
    format={formatDuration}
    chart={({ days }) => ({
      periods: days.map(({ day }) => day),
      series: [
        { name: 'p50', color: 'blue', values: numbersOf(days, p50) },
        { name: 'p95', color: 'amber', values: numbersOf(days, p95) },
      ],
    })}
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
        period="Day"
        kind="stacked"
        format={String}
        chart={({ days }) => ({
          periods: days.map(({ day }) => day),
          series: [
            {
              name: 'Delivered at first attempt',
              color: 'green',
              values: numbersOf(days, (day) => day.deliveredAtFirst),
            },
            {
              name: 'Delivered later',
              color: 'blue',
              values: numbersOf(days, (day) => day.delivered - day.deliveredAtFirst),
            },
            { name: 'In progress', color: 'amber', values: numbersOf(days, (day) => day.pending) },
            {
              name: 'Never delivered',
              color: 'red',
              values: numbersOf(days, undeliveredOf),
            },
            {
              name: 'Superseded or dropped',
              color: 'gray',
              values: numbersOf(days, (day) => day.superseded + day.dropped),
            },
          ],
        })}
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
    period="Day"
    kind="lines"
    format={formatPounds}
    chart={({ periods }) => ({
      periods: periods.map(({ period }) => period),
      series: [
        { name: 'Charged', color: 'green', values: numbersOf(periods, (one) => one.chargedPence) },
        { name: 'Credited', color: 'red', values: numbersOf(periods, (one) => one.creditedPence) },
      ],
    })}
  />
);
