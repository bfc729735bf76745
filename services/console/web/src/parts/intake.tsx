import type { IntakeOfAccount } from '@supplier/proto/submission/v1/intake';
import { useQuery } from '@tanstack/react-query';
import { accounts, submissions } from '../calls.ts';
import { Chart } from '../components/chart.tsx';
import { Panel } from '../components/panel.tsx';
import { SimpleTable } from '../components/simple-table.tsx';
import { formatDuration } from '../format.ts';
import { type FiguresOf, figuresQuery, numbersOf } from './figures-of.ts';

/** Number of suppliers whose caps are loaded. */
const MAX_CAPPED = 10;

/** Submissions by outcome, decision times, and how much of their caps suppliers have used. */
export function IntakePanel({ of }: { readonly of: FiguresOf }) {
  const query = useQuery({
    ...figuresQuery,
    queryKey: ['intake', of],
    queryFn: ({ signal }) => submissions.getIntake(of, { signal }),
  });
  return (
    <>
      <Panel title="Intake" query={query}>
        {({ days, decisionP50Ms, decisionP95Ms }) => {
          const periods = days.map(({ day }) => day);
          return (
            <>
              <Chart
                title="Submissions by outcome"
                period="day"
                periods={periods}
                kind="stacked"
                format={String}
                series={[
                  { name: 'accepted', values: numbersOf(days, (day) => day.accepted) },
                  { name: 'duplicate', values: numbersOf(days, (day) => day.duplicates) },
                  { name: 'rejected', values: numbersOf(days, (day) => day.rejected) },
                  { name: 'returned', values: numbersOf(days, (day) => day.returned) },
                  { name: 'undecided', values: numbersOf(days, (day) => day.undecided) },
                ]}
              />
              <Chart
                title="Decision time"
                period="day"
                periods={periods}
                kind="lines"
                format={formatDuration}
                series={[
                  { name: 'p50', values: numbersOf(days, (day) => day.decisionP50Ms) },
                  { name: 'p95', values: numbersOf(days, (day) => day.decisionP95Ms) },
                ]}
              />
              <p>
                {decisionP50Ms === undefined || decisionP95Ms === undefined
                  ? 'No decisions.'
                  : `Decision time: p50 ${formatDuration(Number(decisionP50Ms))}, p95 ${formatDuration(Number(decisionP95Ms))}.`}
              </p>
            </>
          );
        }}
      </Panel>
      <Panel title="Suppliers and caps" query={query}>
        {({ accounts: counted }) =>
          counted.length === 0 ? (
            <p>No submissions.</p>
          ) : (
            <>
              <SimpleTable
                label="suppliers and caps"
                heads={[
                  'account',
                  'received',
                  'accepted',
                  'duplicate',
                  'rejected',
                  'returned',
                  'undecided',
                  'accepted today',
                  'accepted this month',
                ]}
                rows={counted.map(accountRow)}
              />
              {counted.length > MAX_CAPPED ? (
                <p>Caps of the first {MAX_CAPPED} suppliers. Enter an account above to see its caps.</p>
              ) : null}
            </>
          )
        }
      </Panel>
    </>
  );
}

const accountRow = (of: IntakeOfAccount, at: number) => [
  of.accountId,
  String(of.accepted + of.duplicates + of.rejected + of.returned + of.undecided),
  String(of.accepted),
  String(of.duplicates),
  String(of.rejected),
  String(of.returned),
  String(of.undecided),
  <CapUsed
    key="day"
    accountId={of.accountId}
    used={of.acceptedToday}
    cap="acceptedPerDay"
    isShown={at < MAX_CAPPED}
  />,
  <CapUsed
    key="month"
    accountId={of.accountId}
    used={of.acceptedThisMonth}
    cap="acceptedPerMonth"
    isShown={at < MAX_CAPPED}
  />,
];

interface CapUsedProps {
  readonly accountId: string;
  readonly used: bigint;
  readonly cap: 'acceptedPerDay' | 'acceptedPerMonth';
  readonly isShown: boolean;
}

/** Shows how much of a cap is used, if there is a cap. */
function CapUsed({ accountId, used, cap, isShown }: CapUsedProps) {
  const { data } = useQuery({
    ...figuresQuery,
    queryKey: ['account', accountId],
    queryFn: ({ signal }) => accounts.getAccount({ accountId }, { signal }),
    enabled: isShown,
  });
  const most = data?.terms?.caps?.[cap];
  if (most === undefined) return <>{String(used)}</>;
  const words = `${used} of at most ${most}`;
  return (
    <>
      {words}{' '}
      <meter aria-label={words} min={0} max={Math.max(most, 1)} high={most * 0.9} value={Number(used)} />
    </>
  );
}
