import type { Client } from '@connectrpc/connect';
import type { AccountService } from '@supplier/proto/account/v1/account';
import type { DocumentService } from '@supplier/proto/document/v1/document';
import type { SubmissionService } from '@supplier/proto/submission/v1/submission';

/** What the gateway asks of the account service. */
export type AccountCalls = Pick<Client<typeof AccountService>, 'resolveCredential'>;

/** What the gateway asks of the submission service. */
export type SubmissionCalls = Pick<
  Client<typeof SubmissionService>,
  | 'createSubmission'
  | 'getSubmission'
  | 'getSubmissionByReference'
  | 'promoteSubmission'
  | 'correctContact'
  | 'getJourneyLink'
  | 'redeemJourneyLink'
>;

/** What the gateway asks of the document service. */
export type DocumentCalls = Pick<Client<typeof DocumentService>, 'createUpload' | 'finalizeUpload'>;
