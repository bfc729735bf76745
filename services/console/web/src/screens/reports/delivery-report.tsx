import { ChartPanel } from '../../components/chart.tsx';
import { DeliveryFigure } from '../../components/delivery-figure.tsx';
import { numbersOf, undeliveredOf } from '../../figures.ts';
import { useDeliveries } from '../../figures-query.ts';
import { DurationPanel, type Report } from './report.tsx';
import { REPORTS } from './reports-texts.ts';

export const DeliveryFigures: Report = ({ of }) => <DeliveryFigure label={REPORTS.delivered} of={of} />;

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
