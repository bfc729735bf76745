import type { Backlog } from '@supplier/lib/data/queues';
import { gaugesOf, type Registry } from '@supplier/lib/runtime/metrics';

/** Reports the backlog of one kind of work. The gauges have no value while the database does not respond. */
export function measureWork(registry: Registry, work: string, read: () => Promise<Backlog>): void {
  const backlog = gaugesOf(registry, read);
  const labelNames = ['work'];
  backlog(
    {
      name: 'sss_work_due_rows',
      help: 'Due rows, by kind of work, counted up to 10,000.',
      labelNames,
    },
    ({ due }) => [[{ work }, due]],
  );
  backlog(
    {
      name: 'sss_work_oldest_due_age_seconds',
      help: 'How long the oldest row has been due, by kind of work; 0 if none is.',
      labelNames,
    },
    ({ oldestSeconds }) => [[{ work }, oldestSeconds]],
  );
  backlog(
    { name: 'sss_work_parked_rows', help: 'Parked rows, which failed repeatedly.', labelNames },
    ({ parked }) => [[{ work }, parked]],
  );
}
