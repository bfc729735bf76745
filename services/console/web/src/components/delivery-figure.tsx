import { deliveredShareOf, sumOf, undeliveredOf } from '../figures.ts';
import { type FiguresOf, useDeliveries } from '../figures-query.ts';
import { formatDuration } from '../format.ts';
import { Figure } from './figure.tsx';

/** The share of webhook events that are delivered, and how many are not. */
export function DeliveryFigure({ label, of }: { readonly label: string; readonly of: FiguresOf }) {
  const { data, error } = useDeliveries(of);
  const days = data?.days ?? [];
  const failed = sumOf(days, undeliveredOf);
  const pending = sumOf(days, (day) => day.pending);
  const p95 = data?.firstAttemptP95Ms;
  const counts = `${failed.toLocaleString('en-GB')} failed, ${pending.toLocaleString('en-GB')} pending`;
  const time = p95 === undefined ? '' : `, first attempt p95 ${formatDuration(Number(p95))}`;
  return (
    <Figure
      label={label}
      value={data && deliveredShareOf(days)}
      detail={sumOf(days, ({ recorded }) => recorded) > 0n ? `${counts}${time}` : 'No events in this period'}
      isBad={failed > 0n}
      error={error}
    />
  );
}
