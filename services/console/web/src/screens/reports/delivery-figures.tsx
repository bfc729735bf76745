import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../../calls.ts';
import { Chart } from '../../components/chart.tsx';
import { Panel } from '../../components/panel.tsx';
import { formatDuration } from '../../format.ts';
import { type FiguresOf, figuresQuery, numbersOf } from '../../parts/figures-of.ts';

/** Webhook events by outcome, and the time to their first attempt. */
export function DeliveryFiguresPanel({ of }: { readonly of: FiguresOf }) {
  const query = useQuery({
    ...figuresQuery,
    queryKey: ['delivery-figures', of],
    queryFn: ({ signal }) => webhooks.getDeliveryFigures(of, { signal }),
  });
  return (
    <Panel title="Webhooks" query={query}>
      {({ days, firstAttemptP50Ms, firstAttemptP95Ms }) => {
        const periods = days.map(({ day }) => day);
        return (
          <>
            <Chart
              title="Webhook events by outcome"
              period="Day"
              periods={periods}
              kind="stacked"
              format={String}
              series={[
                {
                  name: 'Delivered at first attempt',
                  values: numbersOf(days, (day) => day.deliveredAtFirst),
                },
                {
                  name: 'Delivered later',
                  values: numbersOf(days, (day) => day.delivered - day.deliveredAtFirst),
                },
                { name: 'In progress', values: numbersOf(days, (day) => day.pending) },
                { name: 'Failed', values: numbersOf(days, (day) => day.exhausted + day.expired) },
                {
                  name: 'Not sent',
                  values: numbersOf(days, (day) => day.superseded + day.dropped),
                },
              ]}
            />
            <Chart
              title="Time from change to first attempt"
              period="Day"
              periods={periods}
              kind="lines"
              format={formatDuration}
              series={[
                { name: 'p50', values: numbersOf(days, (day) => day.firstAttemptP50Ms) },
                { name: 'p95', values: numbersOf(days, (day) => day.firstAttemptP95Ms) },
              ]}
            />
            <Text size="sm" c="dimmed">
              {firstAttemptP50Ms === undefined || firstAttemptP95Ms === undefined
                ? 'No webhooks sent.'
                : `Time from change to first attempt: p50 ${formatDuration(Number(firstAttemptP50Ms))}, p95 ${formatDuration(Number(firstAttemptP95Ms))}.`}
            </Text>
          </>
        );
      }}
    </Panel>
  );
}
