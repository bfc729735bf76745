import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { untilErasureIsComplete } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = PrivacyService.method;

export const peopleCommands: readonly Declaration[] = [
  declare('people find', rpc.findPerson, {
    personal: ['email', 'telephone'],
    notes:
      'Asks for email and telephone at a terminal, where neither is stated: flags stay in the history of the shell. A script gives them to --from-json -. Others may share a telephone or an address: compare what matched, and the masked contact, and name the submissions of the person to `sss people export`.',
    columns: [
      'submission_id',
      'account_id',
      'environment',
      'external_reference',
      'level',
      'status',
      'received_at',
      'matched',
      'contact.initials',
      'contact.telephone_ending',
      'contact.email',
      'held',
      'erasure_id',
    ],
    wide: [
      'account_id',
      'environment',
      'external_reference',
      'level',
      'received_at',
      'contact.telephone_ending',
      'contact.email',
      'held',
      'erasure_id',
    ],
    example: '--purpose "subject access request 17" --all',
  }),
  declare('people show', rpc.exportSubmission, {
    given: ['submission_id'],
    notes:
      '`sss people export` writes this of all submissions of a person, with their documents, into a directory.',
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "subject access request 17"',
  }),
  declare('people erase', rpc.requestErasure, {
    given: ['submission_ids'],
    flags: { approval_id: 'approval' },
    irreversible: 'The applicants of these submissions are erased in every service, for good.',
    wait: untilErasureIsComplete,
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "erasure request 18" --yes --wait',
  }),
  declare('people erasure', rpc.getErasure, {
    given: ['erasure_id'],
    example: '01998c1e-7d5c-7000-8000-000000000006',
  }),
  declare('people erasures', rpc.listErasures, {
    columns: ['erasure_id', 'state', 'reason', 'requested_at', 'requested_by', 'submissions', 'completed'],
    wide: ['reason', 'requested_by', 'submissions', 'completed'],
    example: '--since -30d --all',
  }),
  declare('people hold', rpc.holdSubmissions, {
    given: ['submission_ids'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "claim 19"',
  }),
  declare('people release', rpc.releaseHold, {
    given: ['submission_ids'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "claim 19 is settled"',
  }),
  declare('people retention', rpc.previewRetention, {
    notes: 'Erases nothing; what it shows is erased by itself within minutes of its time.',
    example: '--at +30d',
  }),
];
