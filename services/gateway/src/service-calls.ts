import type { Client } from '@connectrpc/connect';
import type { AccountService } from '@supplier/proto/account/v1/account';
import type { DocumentService } from '@supplier/proto/document/v1/document';
import type { SubmissionService } from '@supplier/proto/submission/v1/submission';

export type AccountCalls = Pick<Client<typeof AccountService>, 'resolveCredential'>;

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

export type DocumentCalls = Pick<Client<typeof DocumentService>, 'createUpload' | 'finalizeUpload'>;

/**
 * Time in milliseconds that a request can spend in calls to services, so that its response comes within five seconds
 * even if a service hangs. The credential lookup, which is rarely needed, can use part of it; the operation's own call
 * gets the rest.
 */
export const CALLS_MS = 4_500;
/** Limits on calls made for pages: beyond them a page reports that it is unavailable, and the API is unaffected. */
export const PAGE_CALLS = { maxConcurrent: 16, maxWaiting: 200, maxWaitMs: 2_000 };
/** Maximum part of CALLS_MS for a credential lookup. */
export const LOOKUP_MS = 1_500;
/** Batched calls. Creates wait for others that arrive within 20 ms of the last batch. */
export const BATCHED_METHODS = {
  createSubmission: { beatMs: 20 },
  getSubmission: {},
  getSubmissionByReference: {},
};
