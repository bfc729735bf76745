import { visible } from '@supplier/lib/text/visible';
import { type Environment, LevelSchema } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { useQuery } from '@tanstack/react-query';
import { submissions } from '../../calls.ts';
import { SubmissionLink } from '../../components/mono.tsx';
import { Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SubmissionsLink } from '../../components/submissions-link.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { enumLabel, formatAgeSince } from '../../format.ts';
import { BESIDE_STREAM_MS } from '../../queries.ts';
import { oldestOf } from './oldest-of.ts';
import { type Queues, queueOf } from './overview-queries.ts';
import { OVERVIEW } from './overview-texts.ts';

const QUEUE = [Queue.STAFF_DECISION];
const PAGE = 200;

/** The submissions that have waited longest for a decision of staff, with a link to all of them. */
interface AwaitingDecisionProps {
  readonly environment: Environment;
  readonly queues: Queues;
}

export function AwaitingDecision({ environment, queues }: AwaitingDecisionProps) {
  // Empty until the queues are loaded.
  const count = queueOf(queues.query.data, Queue.STAFF_DECISION)?.count.toLocaleString('en-GB') ?? '';
  const query = useQuery({
    queryKey: ['awaiting-decision', environment, count],
    refetchInterval: BESIDE_STREAM_MS,
    queryFn: ({ signal }) =>
      oldestOf(async (pageToken) => {
        const asked = { environment, queues: QUEUE, pageSize: PAGE, pageToken };
        const { submissions: rows, nextPageToken } = await submissions.listSubmissions(asked, { signal });
        return { rows, nextPageToken };
      }),
  });
  return (
    <Panel
      title={OVERVIEW.awaitingDecision}
      query={query}
      isFlush
      actions={<SubmissionsLink search={{ queue: QUEUE }}>{OVERVIEW.viewAll(count)}</SubmissionsLink>}
    >
      {(rows) => (
        <SimpleTable
          label={OVERVIEW.awaitingDecision}
          empty={OVERVIEW.nothingWaits}
          heads={[OVERVIEW.waiting, OVERVIEW.supplier, OVERVIEW.reference, OVERVIEW.level]}
          rows={rows.map(({ submissionId, accountId, externalReference, level, receivedAt }) => [
            formatAgeSince(receivedAt, Date.now()),
            <SupplierName key="supplier" accountId={accountId} />,
            <SubmissionLink key="reference" submissionId={submissionId}>
              {visible(externalReference)}
            </SubmissionLink>,
            enumLabel(LevelSchema, level),
          ])}
        />
      )}
    </Panel>
  );
}
