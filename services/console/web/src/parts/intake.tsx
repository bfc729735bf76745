import type { IntakeOfAccount } from '@supplier/proto/submission/v1/intake';
import { useQuery } from '@tanstack/react-query';
import { accounts, submissions } from '../calls.ts';
import { spanOf } from '../words.ts';
import { type FiguresOf, figuresQuery, numbersOf } from './figures-of.ts';
import { Part } from './part.tsx';
import { Plot } from './plot.tsx';
import { ScrollingTable } from './scrolling-table.tsx';

/** Number of suppliers whose caps are loaded. */
const MAX_CAPPED = 10;

/** Submissions by outcome, decision times, and how much of their caps suppliers have used. */
export function IntakePart({ of }: { readonly of: FiguresOf }) {
  const query = useQuery({
    ...figuresQuery,
    queryKey: ['intake', of],
    queryFn: ({ signal }) => submissions.getIntake(of, { signal }),
  });
  return (
    <>
      <Part title="Intake" query={query}>
        {({ days, decisionP50Ms, decisionP95Ms }) => {
          const periods = days.map(({ day }) => day);
          return (
            <>
              <Plot
                title="Received, by what has become of it"
                period="day"
                periods={periods}
                kind="stacked"
                format={String}
                series={[
                  { name: 'accepted', values: numbersOf(days, (day) => day.accepted) },
                  { name: 'duplicate', values: numbersOf(days, (day) => day.duplicates) },
                  { name: 'rejected', values: numbersOf(days, (day) => day.rejected) },
                  { name: 'returned', values: numbersOf(days, (day) => day.returned) },
                  { name: 'not decided yet', values: numbersOf(days, (day) => day.undecided) },
                ]}
              />
              <Plot
                title="Time from receipt to decision"
                period="day"
                periods={periods}
                kind="lines"
                format={spanOf}
                series={[
                  { name: 'half within', values: numbersOf(days, (day) => day.decisionP50Ms) },
                  { name: '95 % within', values: numbersOf(days, (day) => day.decisionP95Ms) },
                ]}
              />
              <p>
                {decisionP50Ms === undefined || decisionP95Ms === undefined
                  ? 'Nothing was decided.'
                  : `In all, half were decided within ${spanOf(Number(decisionP50Ms))}, 95 % within ${spanOf(Number(decisionP95Ms))}.`}
              </p>
            </>
          );
        }}
      </Part>
      <Part title="Suppliers and their caps" query={query}>
        {({ accounts: counted }) =>
          counted.length === 0 ? (
            <p>Nothing was received.</p>
          ) : (
            <>
              <ScrollingTable
                label="suppliers and their caps"
                heads={[
                  'account',
                  'received',
                  'accepted',
                  'duplicate',
                  'rejected',
                  'returned',
                  'not decided yet',
                  'accepted today',
                  'accepted this month',
                ]}
                rows={counted.map(accountRow)}
              />
              {counted.length > MAX_CAPPED ? (
                <p>Caps are shown of the first {MAX_CAPPED}; of another, name its account above.</p>
              ) : null}
            </>
          )
        }
      </Part>
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
