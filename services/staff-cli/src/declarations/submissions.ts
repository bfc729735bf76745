import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { untilBillingIsDecided } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = SubmissionService.method;
const QUEUE_COLUMNS = ['queue', 'count', 'at_least', 'oldest_since', 'oldest_age_seconds'];
const BATCH_NOTE =
  'With several ids or --file, each succeeds or fails on its own. A table shows the results, and the command exits with 9 if any failed.';

export const submissionCommands: readonly Declaration[] = [
  declare('submissions list', rpc.listSubmissions, {
    summary: 'List submissions',
    columns: [
      'submission_id',
      'environment',
      'external_reference',
      'level',
      'status',
      'funding_amount',
      'business_sector',
      'trading_duration',
      'billing_status',
      'received_at',
      'waits_for_staff',
      'parked',
      'check_contact',
    ],
    notes:
      'A page can be short or empty although there are more pages, because each page searches a limited number of submissions.',
    wide: [
      'environment',
      'level',
      'funding_amount',
      'business_sector',
      'trading_duration',
      'billing_status',
      'received_at',
      'waits_for_staff',
      'parked',
      'check_contact',
    ],
    example: '--queues staff_decision --received-since -7d --all',
  }),
  declare('submissions timeline', rpc.getTimeline, {
    summary: 'Show the history of a submission',
    positional: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('submissions follow', rpc.watchTimeline, {
    summary: 'Stream the history of a submission',
    positional: ['submission_id'],
    watches: true,
    notes: 'Prints the whole timeline each time, or one line of JSON with --json. Ends after nine minutes.',
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('submissions queues', rpc.getQueues, {
    summary: 'Show the work queues of the submission service',
    columns: QUEUE_COLUMNS,
    notes: '`sss queues` shows the queues of all services.',
    example: '',
  }),
  declare('submissions follow-queues', rpc.watchQueues, {
    summary: 'Stream the work queues of the submission service',
    columns: QUEUE_COLUMNS,
    watches: true,
    notes: 'Prints all queues each time, or one line of JSON with --json. Ends after nine minutes.',
    example: '',
  }),
  declare('submissions get', rpc.getSubmission, {
    summary: 'Show the status that the supplier sees',
    positional: ['submission_id'],
    hidden: ['owner'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('submissions decide', rpc.decideSubmission, {
    summary: 'Decide submissions',
    positional: ['submission_id'],
    batch: rpc.decideSubmissions,
    notes: BATCH_NOTE,
    choices: { decision: ['accepted', 'rejected', 'duplicate_not_accepted'] },
    irreversible: 'The supplier is notified of the decision, and it cannot be undone.',
    wait: untilBillingIsDecided,
    example:
      '01998c1e-7d5c-7000-8000-000000000003 --decision accepted --reason "trading record seen" --yes --wait',
  }),
  declare('submissions return', rpc.returnSubmission, {
    summary: 'Return accepted submissions to their supplier',
    positional: ['submission_id'],
    batch: rpc.returnSubmissions,
    notes: BATCH_NOTE,
    flags: { reason_category: 'reason' },
    irreversible:
      'The submission is returned to the supplier, who is not charged for it. It cannot be accepted again.',
    wait: untilBillingIsDecided,
    example: '01998c1e-7d5c-7000-8000-000000000003 --reason overdue_filings --yes',
  }),
  declare('pre-underwriting complete', rpc.completePreUnderwriting, {
    summary: 'Complete pre-underwriting reviews',
    positional: ['submission_id'],
    batch: rpc.completePreUnderwritings,
    notes: BATCH_NOTE,
    choices: { outcome: ['cleared', 'not_cleared'] },
    irreversible: 'The outcome of pre-underwriting is final, and can bill or return the submission.',
    wait: untilBillingIsDecided,
    example: '01998c1e-7d5c-7000-8000-000000000003 --outcome cleared --yes',
  }),
  declare('applications show', rpc.getApplication, {
    summary: 'Show the Application of a submission',
    positional: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "reviewing pre-underwriting"',
  }),
  declare('submissions facts', rpc.getDecisionFacts, {
    summary: 'Show the values that a decision compared',
    positional: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "the supplier asked why"',
  }),
  declare('enquiries read', rpc.readEnquiry, {
    summary: 'Read an enquiry',
    positional: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "applicant called back" --masked',
  }),
  declare('parked list', rpc.listParkedWork, {
    summary: 'List parked submissions',
    columns: ['submission_id', 'attempts', 'parked_at', 'failure'],
    wide: ['attempts'],
    example: '--all',
  }),
  declare('parked release', rpc.releaseParkedWork, {
    summary: 'Retry parked submissions now',
    positional: ['submission_ids'],
    example: '01998c1e-7d5c-7000-8000-000000000003 01998c1e-7d5c-7000-8000-000000000004',
  }),
];
