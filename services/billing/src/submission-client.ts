import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { type AccountId, parseId, type SubmissionId } from '@supplier/lib/ids';
import { callOptions, createRpcClient, type RpcAccess } from '@supplier/lib/rpc-client';
import { toDate, toTimestamp } from '@supplier/lib/time';
import { Status } from '@supplier/proto/common/v1/status';
import type { SubmissionBilling } from '@supplier/proto/submission/v1/list_billing';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { LeadProgress } from './domain/pending-lead.ts';
import type { ListChanged, ListShown, ShownSubmission } from './domain/reconciliation.ts';
import { BILLING_STATUSES, ENVIRONMENTS, nameOf } from './messages/enum-mapping.ts';

/** A page of changes is read from an index of the outbox, and nobody waits for it. */
const LIST_TIMEOUT_MS = 10_000;
/** A set of leads is one short transaction, and all that one page of changes can have lost are restated in 20 s. */
const RESTATE_TIMEOUT_MS = 4_000;

/** The most submissions that one call lists. */
const LISTED_AT_ONCE = 100;

/** What this service asks the submission service. */
export interface SubmissionQueries {
  /** How far a submission has come; undefined for an unknown one. Throws UNAVAILABLE when that cannot be known. */
  readonly progressOf: (submissionId: SubmissionId) => Promise<LeadProgress | undefined>;
  /** The submissions that changed in a span of time, page by page. */
  readonly listChanged: ListChanged;
  /** What suppliers see of up to 100 submissions; those that do not exist are left out. */
  readonly listShown: ListShown;
  /**
   * The suppliers' references of any number of submissions, read 100 at a time. Throws UNAVAILABLE when the submission
   * service does not answer.
   */
  readonly referencesOf: (
    submissionIds: readonly SubmissionId[],
  ) => Promise<ReadonlyMap<SubmissionId, string>>;
  /**
   * Has up to 100 leads restated to billing, all or none within four seconds; answers with those that exist. Throws
   * UNAVAILABLE when the submission service does not do it.
   */
  readonly restateLeads: (submissionIds: readonly SubmissionId[]) => Promise<readonly SubmissionId[]>;
}

/** The queries, answered by the submission service at `baseUrl`. */
export function submissionClient(baseUrl: string, access: RpcAccess): SubmissionQueries {
  return submissionQueries(
    createRpcClient(SubmissionService, { baseUrl, audience: 'submission', ...access }),
  );
}

/** The queries by a client. */
export function submissionQueries(submissions: Client<typeof SubmissionService>): SubmissionQueries {
  const patient = () => ({ ...callOptions(), timeoutMs: LIST_TIMEOUT_MS });
  return {
    async progressOf(submissionId) {
      try {
        const { submissions: found } = await submissions.listBilling(
          { submissionIds: [submissionId] },
          callOptions(),
        );
        return found.map(({ status, hasApplication }) => ({
          isDecided: status !== Status.RECEIVED,
          isAccepted: status === Status.ACCEPTED,
          hasApplication,
        }))[0];
      } catch (error) {
        throw unavailable('The submission service is unavailable.', error);
      }
    },
    listChanged: async ({ since, until }, pageToken) => {
      const { changes, nextPageToken } = await submissions.listStatusChanges(
        { recordedSince: toTimestamp(since), recordedUntil: toTimestamp(until), pageToken },
        patient(),
      );
      return { submissionIds: changes.map(({ submissionId }) => readId(submissionId)), next: nextPageToken };
    },
    listShown: async (submissionIds) => {
      const answer = await submissions.listBilling({ submissionIds: [...submissionIds] }, patient());
      return answer.submissions.map(readShown);
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
        throw unavailable('The submission service is unavailable.', error);
      }
      return references;
    },
    async restateLeads(submissionIds) {
      try {
        const answer = await submissions.restateLeads(
          { submissionIds: [...submissionIds] },
          { ...callOptions(), timeoutMs: RESTATE_TIMEOUT_MS },
        );
        return answer.submissionIds.map(readId);
      } catch (error) {
        const message =
          'The submission service did not restate the leads that billing has lost: repair again once it answers.';
        throw unavailable(message, error);
      }
    },
  };
}

function unavailable(message: string, cause: unknown): ConnectError {
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}

function readId(text: string): SubmissionId {
  const id = parseId<SubmissionId>(text);
  if (!id) throw new Error('listed submission lacks an id');
  return id;
}

function readShown({
  submissionId,
  accountId: account,
  environment,
  status,
  billing,
}: SubmissionBilling): ShownSubmission {
  const accountId = parseId<AccountId>(account);
  if (!accountId || !billing) throw new Error('listed submission lacks an account or its billing');
  return {
    submissionId: readId(submissionId),
    accountId,
    environment: nameOf(ENVIRONMENTS, environment),
    isDecided: status !== Status.RECEIVED,
    billingStatus: nameOf(BILLING_STATUSES, billing.billingStatus),
    billableAt: billing.billableAt ? toDate(billing.billableAt) : null,
  };
}
