import { visible } from '@supplier/lib/text/visible';
import { type Environment, LevelSchema } from '@supplier/proto/common/v1/status';
import { Queue } from '@supplier/proto/submission/v1/queues';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { useQuery } from '@tanstack/react-query';
import { keyOf, submissions } from '../../calls.ts';
import { Business } from '../../components/business.tsx';
import { SubmissionLink } from '../../components/mono.tsx';
import { Panel } from '../../components/panel.tsx';
import { SimpleTable } from '../../components/simple-table.tsx';
import { SubmissionsLink } from '../../components/submissions-link.tsx';
import { SupplierName } from '../../components/supplier-name.tsx';
import { enumLabel, formatAgeSince, formatWholePounds } from '../../format.ts';
import { BESIDE_STREAM_MS } from '../../queries.ts';
import { type Queues, queueOf } from './overview-queries.ts';

const QUEUE = [Queue.STAFF_DECISION];
const FEW = 5;
const HEADS = ['Waiting', 'Supplier', 'Reference', 'Amount', 'Business', 'Level'];

/** The submissions that have waited longest for a decision of staff, with a link to all of them. */
interface AwaitingDecisionProps {
  readonly environment: Environment;
  readonly queues: Queues;
}

export function AwaitingDecision({ environment, queues }: AwaitingDecisionProps) {
  // Empty until the queues are loaded.
  const count = queueOf(queues.query.data, Queue.STAFF_DECISION)?.count.toLocaleString('en-GB') ?? '';
  const request = { environment, queues: QUEUE, oldestFirst: true, pageSize: FEW };
  const query = useQuery({
    queryKey: keyOf(SubmissionService.method.listSubmissions, request, count),
    refetchInterval: BESIDE_STREAM_MS,
    queryFn: ({ signal }) => submissions.listSubmissions(request, { signal }),
  });
  return (
    <Panel
      title="Awaiting decision"
      query={query}
      isFlush
      actions={<SubmissionsLink search={{ queue: QUEUE }}>{`View all ${count}`}</SubmissionsLink>}
    >
      {({ submissions: rows }) => (
        <SimpleTable
          label="Awaiting decision"
          empty="No submissions are awaiting a decision."
          heads={HEADS}
          numbers={['Amount']}
          rows={rows.map((row) => [
            formatAgeSince(row.receivedAt, Date.now()),
            <SupplierName key="supplier" accountId={row.accountId} />,
            <SubmissionLink key="reference" submissionId={row.submissionId}>
              {visible(row.externalReference)}
            </SubmissionLink>,
            formatWholePounds(row.fundingAmount),
            <Business key="business" of={row} />,
            enumLabel(LevelSchema, row.level),
          ])}
        />
      )}
    </Panel>
  );
}
