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

/**
 * The time a request may spend in calls to services, so that its answer comes within five seconds whatever hangs.
 * Looking up the credential, rarely needed, may take part of it; the operation's own call has the rest.
 */
export const CALLS_MS = 4_500;
/** What pages ask of services: beyond it a page says that it is unavailable, and the API notices nothing. */
export const PAGE_CALLS = { maxAtOnce: 16, maxWaiting: 200, maxWaitMs: 2_000 };
/** What looking up a credential may take of it at most. */
export const LOOKUP_MS = 1_500;
/** Calls that many suppliers make at once. Creates wait for those that come within 20 ms of the last group. */
export const TOGETHER = { createSubmission: { beatMs: 20 }, getSubmission: {}, getSubmissionByReference: {} };
