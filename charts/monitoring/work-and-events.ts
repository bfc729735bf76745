import type { Dashboard, Panel } from './panels.ts';
import { ofViewed as of } from './selectors.ts';

const RATE = '$__rate_interval';

/** A gauge for which every pod of a process reports the same value. */
const depth = (
  title: string,
  description: string,
  unit: Panel['unit'],
  metric: string,
  by: string,
  bad?: number,
): Panel => ({
  title,
  description,
  unit,
  ...(bad === undefined ? {} : { bad }),
  queries: [
    {
      expr: `max by (${by}) (${of(metric)})`,
      legend: by
        .split(', ')
        .map((label) => `{{${label}}}`)
        .join(' '),
    },
  ],
});

/** Queues, their ages, and parked work awaiting staff. */
export const workAndEvents: Dashboard = {
  uid: 'sss-work-and-events',
  title: 'Supplier submissions: work and events',
  rows: [
    {
      title: 'Work on submissions',
      panels: [
        depth(
          'Oldest due work',
          'How long the oldest submission has been due.',
          's',
          'sss_work_oldest_due_age_seconds',
          'work',
          10,
        ),
        depth(
          'Due work',
          'Submissions that are due now, counted up to 10,000.',
          'short',
          'sss_work_due_rows',
          'work',
        ),
        depth(
          'Parked work',
          'Submissions that failed repeatedly and wait for staff.',
          'short',
          'sss_work_parked_rows',
          'work',
          1,
        ),
        {
          title: 'Oldest erasure that is not complete',
          description: 'Since it was asked for; held: it waits for the release of a legal hold.',
          unit: 's',
          bad: 3_600,
          queries: [
            { expr: `max by (state) (${of('sss_oldest_erasure_age_seconds')})`, legend: '{{state}}' },
          ],
        },
        depth(
          'Erasures',
          'Submissions whose erasure is not complete, counted up to 10,000.',
          'short',
          'sss_erasures_unfinished',
          'state',
        ),
        {
          title: 'Work done',
          description: 'Submissions per second, by how it ended.',
          unit: 'ops',
          queries: [
            {
              expr: `sum by (work, outcome) (rate(${of('sss_work_rows_total')}[${RATE}]))`,
              legend: '{{work}} {{outcome}}',
            },
          ],
        },
        depth(
          'Oldest document that waits for its scan',
          'Since it was finalized.',
          's',
          'sss_oldest_document_awaiting_scan_age_seconds',
          'component',
          900,
        ),
        {
          title: 'Documents',
          description: 'That wait for their scan, or are parked for staff.',
          unit: 'short',
          queries: [
            { expr: `max by (component) (${of('sss_documents_awaiting_scan')})`, legend: 'waiting' },
            { expr: `max by (component) (${of('sss_documents_parked')})`, legend: 'parked' },
          ],
        },
        {
          title: 'Scans',
          description: 'Per second, by what they came to.',
          unit: 'ops',
          queries: [
            { expr: `sum by (outcome) (rate(${of('sss_scans_total')}[${RATE}]))`, legend: '{{outcome}}' },
          ],
        },
      ],
    },
    {
      title: 'Events between services',
      panels: [
        depth(
          'Oldest unpublished event',
          'In the outbox of each service.',
          's',
          'sss_outbox_oldest_unpublished_age_seconds',
          'component',
          60,
        ),
        depth(
          'Unpublished events',
          'Counted up to 100,000.',
          'short',
          'sss_outbox_unpublished_events',
          'component',
        ),
        depth(
          'Parked events',
          'Not taken by the stream; they wait for staff.',
          'short',
          'sss_outbox_parked_events',
          'component',
        ),
        depth(
          'To be published again',
          'For a stream that lost events, or for a replay.',
          'short',
          'sss_outbox_refill_remaining_events',
          'component',
        ),
        depth(
          'Stream deviations',
          'Parts of a stream or its consumer that are missing or changed. Above 0, no events pass.',
          'short',
          'sss_stream_deviations',
          'component, stream',
          1,
        ),
        depth(
          'Consumer lag',
          'Events that a consumer has not been sent yet.',
          'short',
          'sss_consumer_pending_events',
          'consumer',
          1_000,
        ),
        depth(
          'Unacknowledged events',
          'Sent to a consumer, and not acknowledged; at most 2,048.',
          'short',
          'sss_consumer_unacknowledged_events',
          'consumer',
          2_048,
        ),
        depth(
          'Redelivered events',
          'Sent to a consumer more than once, and not acknowledged.',
          'short',
          'sss_consumer_redelivered_events',
          'consumer',
        ),
        {
          title: 'Events taken',
          description: 'Per second, by how it ended.',
          unit: 'ops',
          queries: [
            {
              expr: `sum by (consumer, outcome) (rate(${of('sss_consumed_events_total')}[${RATE}])) > 0`,
              legend: '{{consumer}} {{outcome}}',
            },
          ],
        },
        {
          title: 'Events per set',
          description: 'On average, of at most 64.',
          unit: 'short',
          queries: [
            {
              expr: `sum by (consumer) (rate(${of('sss_consumed_set_events_sum')}[${RATE}])) / sum by (consumer) (rate(${of('sss_consumed_set_events_count')}[${RATE}]))`,
              legend: '{{consumer}}',
            },
          ],
        },
        depth(
          'Failed events',
          'Kept after a failure: tried again, or parked for staff.',
          'short',
          'sss_failed_events',
          'consumer, state',
        ),
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        depth(
          'Oldest due delivery',
          'Of an enabled endpoint.',
          's',
          'sss_webhook_oldest_due_age_seconds',
          'component',
          60,
        ),
        depth(
          'Deliveries that wait',
          'For an attempt, or leased for one.',
          'short',
          'sss_webhook_pending_events',
          'state',
        ),
        {
          title: 'Attempts under way',
          description: 'By pod.',
          unit: 'short',
          queries: [{ expr: of('sss_webhook_attempts_in_flight'), legend: '{{pod}}' }],
        },
        {
          title: 'Recorded',
          description: 'Changes per second, by what they were recorded as.',
          unit: 'ops',
          queries: [
            {
              expr: `sum by (state) (rate(${of('sss_webhook_recorded_events_total')}[${RATE}]))`,
              legend: '{{state}}',
            },
          ],
        },
        {
          title: 'Given up, and mended',
          description:
            'In the last hour: after eight attempts, after a day at a disabled endpoint, and what reconciliations found.',
          unit: 'short',
          queries: [
            { expr: `sum(increase(${of('sss_webhook_exhausted_events_total')}[1h]))`, legend: 'exhausted' },
            { expr: `sum(increase(${of('sss_webhook_expired_events_total')}[1h]))`, legend: 'expired' },
            {
              expr: `sum by (fault) (increase(${of('sss_webhook_reconciliation_faults_total')}[1h]))`,
              legend: 'found: {{fault}}',
            },
            {
              expr: `sum(increase(${of('sss_webhook_reconciliation_restated_total')}[1h]))`,
              legend: 'restated',
            },
          ],
        },
        {
          title: 'Failing endpoints',
          description: 'Attempts failed in a row, of the endpoints that have been failing longest.',
          unit: 'short',
          queries: [
            {
              expr: `topk(10, max by (endpoint_id) (${of('sss_webhook_endpoint_failed_attempts')}))`,
              legend: '{{endpoint_id}}',
            },
          ],
        },
      ],
    },
  ],
};
