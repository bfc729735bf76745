import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { untilBillingIsDecided } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = SubmissionService.method;
const QUEUE_COLUMNS = ['queue', 'count', 'at_least', 'oldest_since', 'oldest_age_seconds'];
const SEVERAL =
  'With several ids, or --file, each stands for itself: a table says what became of which, and the command ends with 9 when some were not done.';

export const submissionCommands: readonly Declaration[] = [
  declare('submissions list', rpc.listSubmissions, {
    columns: [
      'submission_id',
      'environment',
      'external_reference',
      'level',
      'status',
      'billing_status',
      'received_at',
      'waits_for_staff',
      'parked',
      'check_contact',
    ],
    notes:
      'A page may be short, or empty, and still say that there is more: little was found among what was looked at.',
    wide: [
      'environment',
      'level',
      'billing_status',
      'received_at',
      'waits_for_staff',
      'parked',
      'check_contact',
    ],
    example: '--queues staff_decision --received-since -7d --all',
  }),
  declare('submissions timeline', rpc.getTimeline, {
    given: ['submission_id'],
    summary: 'What became of a submission, as the submission service knows it.',
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('submissions follow', rpc.watchTimeline, {
    given: ['submission_id'],
    watches: true,
    notes: 'Each time the whole timeline; with --json a line for each. Ends by itself after nine minutes.',
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('submissions queues', rpc.getQueues, {
    columns: QUEUE_COLUMNS,
    notes: '`sss queues` shows those of the other services, too.',
    example: '',
  }),
  declare('submissions follow-queues', rpc.watchQueues, {
    columns: QUEUE_COLUMNS,
    watches: true,
    notes: 'Each time all queues; with --json a line for each. Ends by itself after nine minutes.',
    example: '',
  }),
  declare('submissions get', rpc.getSubmission, {
    given: ['submission_id'],
    hidden: ['owner'],
    example: '01998c1e-7d5c-7000-8000-000000000003',
  }),
  declare('submissions decide', rpc.decideSubmission, {
    given: ['submission_id'],
    batch: rpc.decideSubmissions,
    notes: SEVERAL,
    choices: { decision: ['accepted', 'rejected', 'duplicate_not_accepted'] },
    irreversible: 'The supplier is notified of this decision, and it cannot be taken back.',
    wait: untilBillingIsDecided,
    example:
      '01998c1e-7d5c-7000-8000-000000000003 --decision accepted --reason "trading record seen" --yes --wait',
  }),
  declare('submissions return', rpc.returnSubmission, {
    given: ['submission_id'],
    batch: rpc.returnSubmissions,
    notes: SEVERAL,
    flags: { reason_category: 'reason' },
    irreversible:
      'The lead goes back to the supplier, who is not charged for it; it cannot be accepted again.',
    wait: untilBillingIsDecided,
    example: '01998c1e-7d5c-7000-8000-000000000003 --reason overdue_filings --yes',
  }),
  declare('pre-underwriting complete', rpc.completePreUnderwriting, {
    given: ['submission_id'],
    batch: rpc.completePreUnderwritings,
    notes: SEVERAL,
    choices: { outcome: ['cleared', 'not_cleared'] },
    irreversible: 'The outcome of pre-underwriting is final, and may bill or return the lead.',
    wait: untilBillingIsDecided,
    example: '01998c1e-7d5c-7000-8000-000000000003 --outcome cleared --yes',
  }),
  declare('applications show', rpc.getApplication, {
    given: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "pre-underwriting looked at"',
  }),
  declare('enquiries read', rpc.readEnquiry, {
    given: ['submission_id'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "applicant called back" --masked',
  }),
  declare('parked list', rpc.listParkedWork, {
    columns: ['submission_id', 'attempts', 'parked_at', 'failure'],
    wide: ['attempts'],
    example: '--all',
  }),
  declare('parked release', rpc.releaseParkedWork, {
    given: ['submission_ids'],
    example: '01998c1e-7d5c-7000-8000-000000000003 01998c1e-7d5c-7000-8000-000000000004',
  }),
];
