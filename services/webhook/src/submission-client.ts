import { type Client, Code, ConnectError } from '@connectrpc/connect';
import type { AuditActor } from '@supplier/lib/governance/audit';
import { RefusalCode, refusalOf } from '@supplier/lib/rpc/refusal';
import { callOptions, createRpcClient, type RpcAccess } from '@supplier/lib/rpc/rpc-client';
import { type AccountId, type EventId, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import type { Handoff } from '@supplier/proto/common/v1/status';
import { type RecordedChange, RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { type EnvironmentName, environmentNameOf, environmentOf } from './model/event.ts';
import type { ListChanges, ListedChange } from './model/reconciliation.ts';

/** Half of staff's maximum wait: a restatement is one short transaction. */
const RESTATE_TIMEOUT_MS = 2_000;
/** A page of changes is read from an index of the outbox, and no caller waits for it. */
const LIST_TIMEOUT_MS = 10_000;
/** A set of changes waits for several of these in sequence. */
const HANDOFF_TIMEOUT_MS = 1_500;

const REASONS = { test: RestatementReason.TEST, redelivery: RestatementReason.REDELIVERY } as const;

export interface SubmissionQueries {
  /** Returns the working journey link of an owner's submission, if it has one. Creates none. */
  readonly handoffOf: (submissionId: SubmissionId, owner: SubmissionOwner) => Promise<Handoff | undefined>;
  /** Returns the owner of a submission; undefined for an unknown one. */
  readonly ownerOf: (submissionId: SubmissionId) => Promise<SubmissionOwner | undefined>;
  /**
   * Returns the owners of up to 1,000 submissions; omits unknown ones. Throws UNAVAILABLE when the submission service does
   * not respond.
   */
  readonly listOwners: (
    submissionIds: readonly SubmissionId[],
  ) => Promise<ReadonlyMap<SubmissionId, SubmissionOwner>>;
  /**
   * Makes the service emit the current status of a submission again, within two seconds or not at all; undefined for an
   * unknown one. A repeated call with the same key emits nothing, and resolves to the first event.
   */
  readonly restate: (
    submissionId: SubmissionId,
    reason: 'test' | 'redelivery',
    /**
     * The requesting person, for the submission service's audit log; undefined when this service acts automatically.
     */
    by?: AuditActor,
    key?: string,
  ) => Promise<Restatement | undefined>;
  /** Returns the changes of a period, page by page. */
  readonly listChanges: ListChanges;
}

export interface SubmissionOwner {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
}

export interface Restatement {
  readonly eventId: EventId;
  readonly occurredAt: Date;
}

export function submissionClient(baseUrl: string, access: RpcAccess): SubmissionQueries {
  return submissionQueries(
    createRpcClient(SubmissionService, { baseUrl, audience: 'submission', ...access }),
  );
}

/**
 * Returns the queries for a client. `ownerOf` and `restate` return undefined for an unknown submission and throw
 * UNAVAILABLE for every other failure; the other two throw the service's error: `handoffOf` throws NOT_FOUND when the
 * submission is not the owner's, and UNAVAILABLE when the service is overloaded. Implements docs/contract.md, section
 * 11.
 */
export function submissionQueries(submissions: Client<typeof SubmissionService>): SubmissionQueries {
  return {
    async handoffOf(submissionId, { accountId, environment }) {
      const owner = { accountId, environment: environmentOf(environment) };
      const { handoff } = await submissions
        .getSubmission({ submissionId, owner }, { ...callOptions(), timeoutMs: HANDOFF_TIMEOUT_MS })
        .catch(unavailableIfOverloaded);
      return handoff;
    },
    ownerOf: (submissionId) =>
      submissions.getSubmissionOwner({ submissionId }, callOptions()).then(readOwner, unlessUnknown),
    async listOwners(submissionIds) {
      const { owners } = await submissions
        .listOwners({ submissionIds: [...submissionIds] }, { ...callOptions(), timeoutMs: LIST_TIMEOUT_MS })
        .catch((error: unknown) => Promise.reject(unavailable(error)));
      return new Map(owners.map((owner) => [owner.submissionId as SubmissionId, readOwner(owner)]));
    },
    restate: (submissionId, reason, by, idempotencyKey) =>
      submissions
        .restateSubmission(
          {
            ...{ submissionId, reason: REASONS[reason], ...(by && { requester: requesterOf(by) }) },
            ...(idempotencyKey && { idempotencyKey }),
          },
          { ...callOptions(), timeoutMs: RESTATE_TIMEOUT_MS },
        )
        .then(readRestatement, unlessUnknown),
    listChanges: async ({ since, until }, pageToken) => {
      const { changes, nextPageToken } = await submissions.listStatusChanges(
        { recordedSince: toTimestamp(since), recordedUntil: toTimestamp(until), pageToken },
        { ...callOptions(), timeoutMs: LIST_TIMEOUT_MS },
      );
      return { changes: changes.map(readChange), next: nextPageToken };
    },
  };
}

const requesterOf = ({ actor, issuer, roles }: AuditActor) => ({ subject: actor, issuer, roles: [...roles] });

/** Maps overload to unavailable, because it is not the submission's fault. */
function unavailableIfOverloaded(error: unknown): never {
  if (error instanceof ConnectError && error.code === Code.ResourceExhausted) throw unavailable(error);
  throw error;
}

function readOwner(answer: { accountId: string; environment: number }): SubmissionOwner {
  const accountId = parseId<AccountId>(answer.accountId);
  const environment = environmentNameOf(answer.environment);
  if (!accountId || !environment) throw new Error('submission owner lacks an account or an environment');
  return { accountId, environment };
}

function readChange(change: RecordedChange): ListedChange {
  const eventId = parseId<EventId>(change.eventId);
  const submissionId = parseId<SubmissionId>(change.submissionId);
  const accountId = parseId<AccountId>(change.accountId);
  const environment = environmentNameOf(change.environment);
  if (!eventId || !submissionId || !accountId || !environment || !change.occurredAt) {
    throw new Error('listed change lacks an event, a submission, an account, an environment or a time');
  }
  const occurredAt = toDate(change.occurredAt);
  return { eventId, submissionId, accountId, environment, occurredAt, unpublished: change.unpublished };
}

function readRestatement({
  eventId,
  occurredAt,
}: {
  eventId: string;
  occurredAt?: Parameters<typeof toDate>[0] | undefined;
}): Restatement {
  const id = parseId<EventId>(eventId);
  if (!id || !occurredAt) throw new Error('restatement lacks an event id or a time');
  return { eventId: id, occurredAt: toDate(occurredAt) };
}

/**
 * Returns undefined for an unknown submission; any other failure is not caused by the submission and may be retried.
 */
function unlessUnknown(error: unknown): undefined {
  if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return undefined;
  throw unavailable(error);
}

function unavailable(cause: unknown): ConnectError {
  const message = 'The submission service is unavailable.';
  return new ConnectError(message, Code.Unavailable, undefined, undefined, cause);
}
