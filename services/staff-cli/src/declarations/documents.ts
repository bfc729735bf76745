import { DocumentService } from '@supplier/proto/document/v1/document';
import { type Declaration, declare } from './declaration.ts';

const rpc = DocumentService.method;

export const documentCommands: readonly Declaration[] = [
  declare('documents list', rpc.listDocuments, {
    summary: 'List the documents of a submission',
    positional: ['submission_id'],
    columns: [
      'document_id',
      'category',
      'scan_status',
      'scan_reason',
      'scan_rule',
      'scan_part',
      'scan_problem',
      'scan_advice',
      'byte_size',
      'created_at',
      'filename',
    ],
    wide: ['scan_reason', 'scan_rule', 'scan_part', 'scan_problem', 'scan_advice', 'byte_size', 'created_at'],
    notes: '`-o wide` explains why a scan failed, and what the supplier can do.',
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "reviewing bank statements"',
  }),
  declare('documents waiting', rpc.listWaitingDocuments, {
    summary: 'List documents without a scan result',
    columns: ['document_id', 'submission_id', 'category', 'waiting_for', 'finalized_at', 'scan_attempts'],
    wide: ['submission_id', 'category', 'scan_attempts'],
    example: '--waiting-for staff',
  }),
  declare('documents download', rpc.downloadDocument, {
    summary: 'Print a URL that downloads a document',
    positional: ['document_id'],
    notes: 'Anyone who has the URL can read the document until it expires.',
    example: '01998c1e-7d5c-7000-8000-000000000005 --purpose "reviewing bank statements" --get url',
  }),
  declare('documents rescan', rpc.rescanDocument, {
    summary: 'Scan a document again',
    positional: ['document_id'],
    example: '01998c1e-7d5c-7000-8000-000000000005',
  }),
  declare('documents delete', rpc.deleteDocument, {
    summary: 'Delete a document and its file',
    positional: ['document_id'],
    irreversible: 'The document and its file are deleted permanently.',
    example: '01998c1e-7d5c-7000-8000-000000000005 --yes',
  }),
];
