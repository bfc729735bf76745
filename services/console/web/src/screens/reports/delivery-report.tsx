import { ChartPanel } from '../../components/chart.tsx';
import { Figure } from '../../components/figure.tsx';
import { deliveredShareOf, numbersOf, undeliveredOf } from '../../figures.ts';
import { useDeliveries } from '../../figures-query.ts';
import { formatDuration } from '../../format.ts';
import { DurationPanel, type Report } from './report.tsx';
import { REPORTS } from './reports-texts.ts';

/** The share of webhook events that were delivered, of those whose delivery has ended. */
export const DeliveryFigure: Report = ({ of }) => {
  const { data, error } = useDeliveries(of);
  const p95 = data?.firstAttemptP95Ms;
  return (
    <Figure
      label={REPORTS.delivered}
      value={data && deliveredShareOf(data.days)}
      detail={p95 === undefined ? REPORTS.noEvents : REPORTS.firstAttemptP95(formatDuration(Number(p95)))}
      error={error}
    />
  );
};

/** Webhook events by outcome, and the time to their first attempt, by day. */
export const DeliveryCharts: Report = ({ of }) => {
  const query = useDeliveries(of);
  return (
    <>
      <ChartPanel
        title={REPORTS.deliveries}
        query={query}
        period={REPORTS.day}
        kind="stacked"
        format={String}
        chart={({ days }) => ({
          periods: days.map(({ day }) => day),
          series: [
            {
              name: REPORTS.atFirst,
              color: 'green',
              values: numbersOf(days, (day) => day.deliveredAtFirst),
            },
            {
              name: REPORTS.later,
              color: 'blue',
              values: numbersOf(days, (day) => day.delivered - day.deliveredAtFirst),
            },
            { name: REPORTS.inProgress, color: 'amber', values: numbersOf(days, (day) => day.pending) },
            {
              name: REPORTS.neverDelivered,
              color: 'red',
              values: numbersOf(days, undeliveredOf),
            },
            {
              name: REPORTS.byDesign,
              color: 'gray',
              values: numbersOf(days, (day) => day.superseded + day.dropped),
            },
          ],
        })}
      />
      <DurationPanel
        title={REPORTS.firstAttempt}
        query={query}
        p50={(day) => day.firstAttemptP50Ms}
        p95={(day) => day.firstAttemptP95Ms}
      />
    </>
  );
};
