import { type Client, Code, ConnectError } from '@connectrpc/connect';
import { type AccountId, type EventId, parseId, type SubmissionId } from '@supplier/lib/ids';
import { RefusalCode, refusalOf } from '@supplier/lib/refusal';
import { callOptions, createRpcClient, type ServiceTokens } from '@supplier/lib/rpc-client';
import { toDate, toTimestamp } from '@supplier/lib/time';
import { type RecordedChange, RestatementReason } from '@supplier/proto/submission/v1/status_changes';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import type { Restatement, ServiceContext, SubmissionOwner } from './context.ts';
import { environmentNameOf } from './domain/environment.ts';
import type { ListedChange } from './domain/reconciliation.ts';

/** Half of what staff wait for at most: a restatement is one short transaction. */
const RESTATE_TIMEOUT_MS = 2_000;
/** A page of changes is read from an index of the outbox, and nobody waits for it. */
const LIST_TIMEOUT_MS = 10_000;
/** A set of changes waits for several of these, one after the other. */
const HANDOFF_TIMEOUT_MS = 1_500;

const REASONS = { test: RestatementReason.TEST, redelivery: RestatementReason.REDELIVERY } as const;

export type SubmissionQuestions = Pick<ServiceContext, 'handoffOf' | 'ownerOf' | 'restate' | 'listChanges'>;

/** What this service asks of the submission service at `baseUrl`. */
export function submissionClient(baseUrl: string, tokens: ServiceTokens): SubmissionQuestions {
  return askSubmissions(createRpcClient(SubmissionService, { baseUrl, audience: 'submission', tokens }));
}

/**
 * The same by a client. An unknown submission is undefined, whatever else goes wrong is UNAVAILABLE; of a link only
 * what says that the service is away. Implements docs/contract.md, section 11.
 */
export function askSubmissions(submissions: Client<typeof SubmissionService>): SubmissionQuestions {
  return {
    handoffOf: async (submissionId) =>
      (
        await submissions
          .getSubmission({ submissionId }, { ...callOptions(), timeoutMs: HANDOFF_TIMEOUT_MS })
          .catch(awayIfOverloaded)
      ).handoff,
    ownerOf: (submissionId) =>
      submissions.getSubmissionOwner({ submissionId }, callOptions()).then(readOwner, unlessUnknown),
    restate: (submissionId, reason) =>
      submissions
        .restateSubmission(
          { submissionId, reason: REASONS[reason] },
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

/** A service that takes no more for the moment is as good as away: that is not the submission's fault. */
function awayIfOverloaded(error: unknown): never {
  if (error instanceof ConnectError && error.code === Code.ResourceExhausted) throw unavailable(error);
  throw error;
}

function readOwner(answer: { accountId: string; environment: number }): SubmissionOwner {
  const accountId = parseId<AccountId>(answer.accountId);
  const environment = environmentNameOf(answer.environment);
  if (!accountId || !environment) throw new Error('a submission belongs to an account and an environment');
  return { accountId, environment };
}

function readChange(change: RecordedChange): ListedChange {
  const eventId = parseId<EventId>(change.eventId);
  const submissionId = parseId<SubmissionId>(change.submissionId);
  const accountId = parseId<AccountId>(change.accountId);
  const environment = environmentNameOf(change.environment);
  if (!eventId || !submissionId || !accountId || !environment || !change.occurredAt) {
    throw new Error('a listed change lacks an event, a submission, an account, an environment or a time');
  }
  return { eventId, submissionId, accountId, environment, occurredAt: toDate(change.occurredAt) };
}

function readRestatement({
  eventId,
  occurredAt,
}: {
  eventId: string;
  occurredAt?: Parameters<typeof toDate>[0] | undefined;
}): Restatement {
  const id = parseId<EventId>(eventId);
  if (!id || !occurredAt) throw new Error('a restatement has an id and a time');
  return { eventId: id, occurredAt: toDate(occurredAt) };
}

/** Undefined for an unknown submission; every other failure is that of another part, to be tried again. */
function unlessUnknown(error: unknown): undefined {
  if (refusalOf(error)?.code === RefusalCode.NOT_FOUND) return undefined;
  throw unavailable(error);
}

function unavailable(cause: unknown): ConnectError {
  const sentence = 'The submission service cannot be asked at the moment.';
  return new ConnectError(sentence, Code.Unavailable, undefined, undefined, cause);
}
