import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { callOptions, createRpcClient, type RpcAccess } from '@supplier/lib/rpc/rpc-client';
import { parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import type { SubmissionBilling } from '@supplier/proto/submission/v1/list_billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { readBilledState } from './model/messages.ts';
import type { ListBilled, ListChanged } from './model/reconciliation.ts';

/** Generous, because a page of changes is read from an index of the outbox and no caller is waiting. */
const LIST_TIMEOUT_MS = 10_000;

/** Maximum number of submissions per call. */
export const LISTED_AT_ONCE = 1_000;

export interface SubmissionQueries {
  /**
   * Returns the billing state of a submission; undefined for an unknown one. Throws UNAVAILABLE when the submission
   * service does not respond.
   */
  readonly billingOf: (submissionId: SubmissionId) => Promise<SubmissionBilling | undefined>;
  /** Lists the submissions that changed in a time span, page by page. */
  readonly listChanged: ListChanged;
  /**
   * Returns the states of up to 1,000 submissions; omits unknown ones. Throws UNAVAILABLE when the submission service does
   * not respond.
   */
  readonly listBilled: ListBilled;
  /**
   * Returns the suppliers' references of any number of submissions, read 1,000 at a time. Throws UNAVAILABLE when the
   * submission service does not respond.
   */
  readonly referencesOf: (
    submissionIds: readonly SubmissionId[],
  ) => Promise<ReadonlyMap<SubmissionId, string>>;
}

export function submissionClient(baseUrl: string, access: RpcAccess): SubmissionQueries {
  return submissionQueries(
    createRpcClient(SubmissionService, { baseUrl, audience: 'submission', ...access }),
  );
}

export function submissionQueries(submissions: Client<typeof SubmissionService>): SubmissionQueries {
  const patient = () => ({ ...callOptions(), timeoutMs: LIST_TIMEOUT_MS });
  return {
    async billingOf(submissionId) {
      try {
        const answer = await submissions.listBilling({ submissionIds: [submissionId] }, callOptions());
        return answer.submissions[0];
      } catch (error) {
        throw unavailable(error);
      }
    },
    listChanged: async ({ since, until }, pageToken) => {
      const { changes, nextPageToken } = await submissions.listStatusChanges(
        { recordedSince: toTimestamp(since), recordedUntil: toTimestamp(until), pageToken },
        patient(),
      );
      return { submissionIds: changes.map(({ submissionId }) => readId(submissionId)), next: nextPageToken };
    },
    listBilled: async (submissionIds) => {
      const answer = await submissions
        .listBilling({ submissionIds: [...submissionIds] }, patient())
        .catch((error: unknown) => Promise.reject(unavailable(error)));
      return answer.submissions.map((one) => ({
        ...readBilledState(one),
        isProduction: one.environment === Environment.PRODUCTION,
      }));
    },
    async referencesOf(submissionIds) {
      const references = new Map<SubmissionId, string>();
      const ids = [...new Set(submissionIds)];
      try {
        for (let from = 0; from < ids.length; from += LISTED_AT_ONCE) {
          const answer = await submissions.listBilling(
            { submissionIds: ids.slice(from, from + LISTED_AT_ONCE) },
            patient(),
          );
          for (const { submissionId, externalReference } of answer.submissions)
            references.set(readId(submissionId), externalReference);
        }
      } catch (error) {
        throw unavailable(error);
      }
      return references;
    },
  };
}

function unavailable(cause: unknown): ConnectError {
  const message = 'The submission service is unavailable.';
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}

function readId(text: string): SubmissionId {
  const id = parseId<SubmissionId>(text);
  if (!id) throw new Error('listed submission lacks an id');
  return id;
}
