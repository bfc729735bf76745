import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../calls.ts';
import { spanOf } from '../words.ts';
import { type FiguresOf, figuresQuery, numbersOf } from './figures-of.ts';
import { Part } from './part.tsx';
import { Plot } from './plot.tsx';

/** Webhook events by outcome, and the time to their first attempt. */
export function DeliveryFiguresPart({ of }: { readonly of: FiguresOf }) {
  const query = useQuery({
    ...figuresQuery,
    queryKey: ['delivery-figures', of],
    queryFn: ({ signal }) => webhooks.getDeliveryFigures(of, { signal }),
  });
  return (
    <Part title="Webhooks" query={query}>
      {({ days, firstAttemptP50Ms, firstAttemptP95Ms }) => {
        const periods = days.map(({ day }) => day);
        return (
          <>
            <Plot
              title="Events for suppliers, by what has become of them"
              period="day"
              periods={periods}
              kind="stacked"
              format={String}
              series={[
                {
                  name: 'delivered by the first attempt',
                  values: numbersOf(days, (day) => day.deliveredAtFirst),
                },
                {
                  name: 'delivered later',
                  values: numbersOf(days, (day) => day.delivered - day.deliveredAtFirst),
                },
                { name: 'under way', values: numbersOf(days, (day) => day.pending) },
                { name: 'never delivered', values: numbersOf(days, (day) => day.exhausted + day.expired) },
                {
                  name: 'not to be delivered',
                  values: numbersOf(days, (day) => day.superseded + day.dropped),
                },
              ]}
            />
            <Plot
              title="Time from change to first attempt"
              period="day"
              periods={periods}
              kind="lines"
              format={spanOf}
              series={[
                { name: 'half within', values: numbersOf(days, (day) => day.firstAttemptP50Ms) },
                { name: '95 % within', values: numbersOf(days, (day) => day.firstAttemptP95Ms) },
              ]}
            />
            <p>
              {firstAttemptP50Ms === undefined || firstAttemptP95Ms === undefined
                ? 'Nothing was sent.'
                : `Time from change to first attempt: p50 ${spanOf(Number(firstAttemptP50Ms))}, p95 ${spanOf(Number(firstAttemptP95Ms))}.`}
            </p>
          </>
        );
      }}
    </Part>
  );
}
