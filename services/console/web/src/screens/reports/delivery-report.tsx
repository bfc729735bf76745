import { ChartPanel } from '../../components/chart.tsx';
import { DeliveryFigure } from '../../components/delivery-figure.tsx';
import { numbersOf, undeliveredOf } from '../../figures.ts';
import { useDeliveries } from '../../figures-query.ts';
import { DurationPanel, type Report } from './report.tsx';

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
