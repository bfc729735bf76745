import type { Environment } from '@supplier/proto/common/v1/status';
import { Queue, type QueueLength } from '@supplier/proto/submission/v1/queues';
import { submissions } from '../calls.ts';
import { useWatched } from '../live.ts';
import { ageOf } from '../words.ts';
import { Part } from './part.tsx';
import { SubmissionsLink } from './submissions-link.tsx';

/** Describes what the submissions in each queue are waiting for. */
const QUEUE_WORDS = {
  [Queue.UNSPECIFIED]: 'unknown',
  [Queue.STAFF_DECISION]: 'a decision by staff',
  [Queue.STAFF_PRE_UNDERWRITING]: 'staff to end its pre-underwriting',
  [Queue.APPLICATION]: 'its Application, which the system makes',
  [Queue.DECISION]: 'a decision by the policy',
  [Queue.PARKED]: 'staff to release work that failed repeatedly',
} as const satisfies Record<Queue, string>;

/** Queues with their counts, updated live. */
export function QueuesPart({ environment }: { readonly environment: Environment }) {
  const { query, isLost } = useWatched({
    queryKey: ['queues', environment],
    isAllowed: true,
    ask: (options) => submissions.getQueues({ environment }, options),
    watch: (options) => submissions.watchQueues({ environment }, options),
  });
  return (
    <Part title="Submissions that wait" query={query} isLost={isLost}>
      {({ queues: lengths }) => (
        <table className="bp6-html-table bp6-compact">
          <thead>
            <tr>
              <th scope="col">waits for</th>
              <th scope="col">how many</th>
              <th scope="col">the oldest for</th>
            </tr>
          </thead>
          <tbody>
            {oldestFirst(lengths).map((length) => (
              <QueueRow key={length.queue} length={length} environment={environment} />
            ))}
          </tbody>
        </table>
      )}
    </Part>
  );
}

const oldestFirst = (queues: readonly QueueLength[]) =>
  queues.toSorted((a, b) => Number(b.oldestAgeSeconds - a.oldestAgeSeconds));

interface QueueRowProps {
  readonly length: QueueLength;
  readonly environment: Environment;
}

const QueueRow = ({ length: { queue, count, atLeast, oldestAgeSeconds }, environment }: QueueRowProps) => (
  <tr>
    <th scope="row">
      <SubmissionsLink search={{ queue, environment }}>{QUEUE_WORDS[queue]}</SubmissionsLink>
    </th>
    <td>
      {atLeast ? 'at least ' : ''}
      {String(count)}
    </td>
    <td>{count === 0n ? '' : ageOf(Number(oldestAgeSeconds))}</td>
  </tr>
);
