import { useQuery } from '@tanstack/react-query';
import { webhooks } from '../../calls.ts';
import { Panel } from '../../components/panel.tsx';
import { everyMs } from '../../queries.ts';
import { DeliveriesTable } from '../webhooks/deliveries-table.tsx';
import { SUBMISSION } from './submission-texts.ts';

interface DeliveriesProps {
  readonly submissionId: string;
  readonly refetchMs: number;
}

/** The webhook events of a submission, and each delivery attempt with its phases. */
export function DeliveriesPanel({ submissionId, refetchMs }: DeliveriesProps) {
  const query = useQuery({
    queryKey: ['events', submissionId],
    refetchInterval: everyMs(refetchMs),
    queryFn: ({ signal }) => webhooks.listEvents({ submissionId }, { signal }),
  });
  return (
    <Panel title={SUBMISSION.deliveries} query={query} empty={SUBMISSION.noDeliveries} isFlush>
      {({ events }) =>
        events.length === 0 ? (
          <p className="empty">{SUBMISSION.noDeliveries}</p>
        ) : (
          <DeliveriesTable label={SUBMISSION.deliveries} events={events} />
        )
      }
    </Panel>
  );
}
