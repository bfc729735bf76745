import { DocumentService } from '@supplier/proto/document/v1/document';
import { type Declaration, declare } from './declaration.ts';

const rpc = DocumentService.method;

export const documentCommands: readonly Declaration[] = [
  declare('documents list', rpc.listDocuments, {
    given: ['submission_id'],
    columns: ['document_id', 'category', 'scan_status', 'scan_reason', 'byte_size', 'created_at', 'filename'],
    wide: ['scan_reason', 'byte_size', 'created_at'],
    example: '01998c1e-7d5c-7000-8000-000000000003 --purpose "statements looked at"',
  }),
  declare('documents waiting', rpc.listWaitingDocuments, {
    columns: ['document_id', 'submission_id', 'category', 'waiting_for', 'finalized_at', 'scan_attempts'],
    wide: ['submission_id', 'category', 'scan_attempts'],
    example: '--waiting-for staff',
  }),
  declare('documents download', rpc.downloadDocument, {
    given: ['document_id'],
    notes: 'Prints a URL; anyone who has it can read the document until it expires.',
    example: '01998c1e-7d5c-7000-8000-000000000005 --purpose "statements looked at" --get url',
  }),
  declare('documents rescan', rpc.rescanDocument, {
    given: ['document_id'],
    example: '01998c1e-7d5c-7000-8000-000000000005',
  }),
  declare('documents delete', rpc.deleteDocument, {
    given: ['document_id'],
    irreversible: 'The document and its bytes are deleted for good.',
    example: '01998c1e-7d5c-7000-8000-000000000005 --yes',
  }),
];
