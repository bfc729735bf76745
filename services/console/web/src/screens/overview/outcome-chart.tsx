import type { Environment } from '@supplier/proto/common/v1/status';
import { Chart } from '../../components/chart.tsx';
import { Panel } from '../../components/panel.tsx';
import { numbersOf } from '../../parts/figures-of.ts';
import { useIntake } from './overview-queries.ts';
import { OVERVIEW } from './overview-texts.ts';

/** Submissions of the last 30 days by outcome. */
export function OutcomeChart({ environment }: { readonly environment: Environment }) {
  const { accepted, rejected, duplicates, returned, undecided } = OVERVIEW.outcomeSeries;
  return (
    <Panel title={OVERVIEW.outcomes} query={useIntake(environment)}>
      {({ days }) => (
        <Chart
          title={OVERVIEW.outcomes}
          period="Day"
          periods={days.map(({ day }) => day)}
          kind="stacked"
          isUntitled
          format={String}
          series={[
            { name: accepted, color: 'green', values: numbersOf(days, (day) => day.accepted) },
            { name: rejected, color: 'gray', values: numbersOf(days, (day) => day.rejected) },
            { name: duplicates, color: 'amber', values: numbersOf(days, (day) => day.duplicates) },
            { name: returned, color: 'red', values: numbersOf(days, (day) => day.returned) },
            { name: undecided, color: 'blue', values: numbersOf(days, (day) => day.undecided) },
          ]}
        />
      )}
    </Panel>
  );
}
