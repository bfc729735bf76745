import { Figure } from '../../components/figure.tsx';
import { OutcomePanel } from '../../components/outcome-panel.tsx';
import { acceptedShareOf, receivedOf, sumOf } from '../../figures.ts';
import { useIntake } from '../../figures-query.ts';
import { formatDuration } from '../../format.ts';
import { DurationPanel, type Report } from './report.tsx';

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
