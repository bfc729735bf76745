import type { Environment } from '@supplier/proto/common/v1/status';
import type { IntakeOfDay } from '@supplier/proto/submission/v1/intake';
import { Queue, type QueueLength } from '@supplier/proto/submission/v1/queues';
import { Figure } from '../../components/figure.tsx';
import { SubmissionsLink } from '../../components/submissions-link.tsx';
import { changeOf, receivedOf } from '../../figures.ts';
import { formatAge } from '../../format.ts';
import { type Queues, queueOf, useLatestIntake } from './overview-queries.ts';

/** Waiting longer than this is marked. */
const LONG_SECONDS = 3_600;
const WEEK_DAYS = 7;

/** The length and age of the two queues that staff work on. */
export function QueueFigures({ queues: { query, isLost } }: { readonly queues: Queues }) {
  const queues = [
    [Queue.STAFF_DECISION, 'Awaiting decision'],
    [Queue.STAFF_PRE_UNDERWRITING, 'Pre-underwriting review'],
  ] as const;
  return (
    <>
      {queues.map(([queue, label]) => (
        <Figure
          key={queue}
          label={<SubmissionsLink search={{ queue: [queue] }}>{label}</SubmissionsLink>}
          value={query.data && countOf(queueOf(query.data, queue))}
          detail={isLost ? 'Live updates lost. Reconnecting…' : ageOf(queueOf(query.data, queue))}
          isBad={Number(queueOf(query.data, queue)?.oldestAgeSeconds ?? 0) > LONG_SECONDS}
          error={query.error}
        />
      ))}
    </>
  );
}

const countOf = (length: QueueLength | undefined) => `${length?.count ?? 0}${length?.atLeast ? '+' : ''}`;
const ageOf = (length: QueueLength | undefined) =>
  length && length.count > 0n ? `Oldest ${formatAge(Number(length.oldestAgeSeconds))}` : 'None';

/** Submissions received today, compared with the same weekday of last week. */
export function ReceivedFigure({ environment }: { readonly environment: Environment }) {
  const { data, error } = useLatestIntake(environment);
  const today = receivedOn(data?.days.at(-1));
  return (
    <Figure
      label="Received today"
      value={data ? today.toLocaleString('en-GB') : undefined}
      detail={data ? comparison(today, receivedOn(data.days.at(-1 - WEEK_DAYS))) : undefined}
      error={error}
    />
  );
}

const receivedOn = (day: IntakeOfDay | undefined): bigint => (day ? receivedOf(day) : 0n);

const weekday = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'UTC' });
function comparison(today: bigint, before: bigint): string {
  const name = weekday.format(Date.now());
  const change = changeOf(today, before);
  return change === undefined ? `None last ${name}` : `${change} vs all of last ${name}`;
}
