import { PrivacyService } from '@supplier/proto/submission/v1/privacy';
import { untilErasureIsComplete } from '../calls/wait.ts';
import { type Declaration, declare } from './declaration.ts';

const rpc = PrivacyService.method;

export const peopleCommands: readonly Declaration[] = [
  declare('people find', rpc.findPerson, {
    summary: 'Find the submissions of a person',
    personal: ['email', 'telephone'],
    notes:
      "On a terminal, it asks for email and telephone, because flags remain in the shell's history. Scripts use --from-json -. Other people may share a telephone number or an address: compare the matched values and the masked contact, then pass the person's submissions to `sss people export`.",
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
    summary: 'Show the data held about the applicant of a submission',
    positional: ['submission_id'],
    notes:
      "`sss people export` writes this for all of a person's submissions, with their documents, to a directory.",
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "subject access request 17"',
  }),
  declare('people erase', rpc.requestErasure, {
    summary: 'Erase the applicants of submissions',
    positional: ['submission_ids'],
    flags: { approval_id: 'approval' },
    irreversible: 'The applicants of these submissions are erased permanently from every service.',
    wait: untilErasureIsComplete,
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "erasure request 18" --yes --wait',
  }),
  declare('people erasure', rpc.getErasure, {
    summary: 'Show the progress or certificate of an erasure',
    positional: ['erasure_id'],
    example: '01998c1e-7d5c-7000-8000-000000000006',
  }),
  declare('people erasures', rpc.listErasures, {
    summary: 'List erasures',
    columns: ['erasure_id', 'state', 'reason', 'requested_at', 'requested_by', 'submissions', 'completed'],
    wide: ['reason', 'requested_by', 'submissions', 'completed'],
    example: '--since -30d --all',
  }),
  declare('people hold', rpc.holdSubmissions, {
    summary: 'Put submissions under legal hold',
    positional: ['submission_ids'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "claim 19"',
  }),
  declare('people release', rpc.releaseHold, {
    summary: 'Release submissions from legal hold',
    positional: ['submission_ids'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "claim 19 is settled"',
  }),
  declare('people retention', rpc.previewRetention, {
    summary: 'Show what retention will erase',
    notes:
      'It erases nothing. Retention erases the listed submissions automatically within minutes of their time.',
    example: '--at +30d',
  }),
];
