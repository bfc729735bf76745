import type { MessageInitShape } from '@bufbuild/protobuf';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { parseId } from '@supplier/lib/text/ids';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import {
  type ErasedSubmissionSchema,
  type ErasureSchema,
  ErasureState,
  ListErasuresRequestSchema,
  type ListedErasureSchema,
} from '@supplier/proto/submission/v1/erasures';
import type { Context, PrivacyRpcs } from '../context.ts';
import { wordsFor } from './erasures.sql.ts';
import {
  type ErasureProgressRow,
  type ErasureRow,
  type ListedErasureRow,
  listErasures as listMatching,
  readErasure,
} from './read-erasures.sql.ts';

/** Data kept for every erased submission. None of it identifies the applicant. */
const KEPT = [
  {
    place: 'submission',
    what: "ids, the supplier's reference and its idempotency keys",
    why: 'so that the reference is never taken for a new enquiry',
  },
  {
    place: 'submission',
    what: 'status, times, the decision with the rule and the policy that made it, the state of pre-underwriting',
    why: 'they account for what was decided, and say nothing of the applicant',
  },
  { place: 'billing', what: 'lines of money', why: 'accounts must be kept by law' },
  {
    place: 'document',
    what: 'ids, category, type, size and times of documents',
    why: 'they account for what was received and removed',
  },
  {
    place: 'webhook',
    what: 'events without links, times and outcomes of attempts, until their retention ends',
    why: 'they account for what the supplier was told, which never was about the applicant',
  },
  {
    place: 'every service',
    what: 'the audit log, which holds ids, and what staff stated of their own acts: purposes, policy texts, reasons of refusals',
    why: 'it accounts for who saw and changed what, this erasure included',
  },
  {
    place: 'every service',
    what: 'events, with ids and the id of the request that caused them, until their retention ends',
    why: 'they account for what was told to whom; an id that the supplier made up is not among them',
  },
  {
    place: 'gateway',
    what: 'lines of the log with the request id that the supplier sent, until the log ends',
    why: 'they account for who called from where',
  },
  {
    place: 'backups',
    what: 'copies of the databases and of documents, versions of deleted objects among them, until each backup ends',
    why: 'a lost system must be restored from them; what was erased since is erased again then',
  },
] as const;

/** Returns an erasure as a message for staff. */
export function erasureMessage(
  { id, requested_at, requested_by, reason, purpose }: ErasureRow,
  submissions: readonly ErasureProgressRow[],
): MessageInitShape<typeof ErasureSchema> {
  const completedAt = latest(submissions.map(({ completed_at }) => completed_at));
  return {
    erasureId: id,
    state: completedAt ? ErasureState.COMPLETE : ErasureState.IN_PROGRESS,
    reason,
    requestedAt: toTimestamp(requested_at),
    requestedBy: requested_by,
    purpose,
    ...(completedAt ? { completedAt: toTimestamp(completedAt) } : {}),
    submissions: submissions.map(submissionMessage),
    kept: [...KEPT],
  };
}

function submissionMessage(row: ErasureProgressRow): MessageInitShape<typeof ErasedSubmissionSchema> {
  return {
    submissionId: row.submission_id,
    accountId: row.account_id,
    environment: row.environment,
    externalReference: row.external_reference,
    nextStep: row.step,
    ...(row.waiting_since
      ? { waitingSince: toTimestamp(row.waiting_since), waitingFor: row.waiting_for ?? '' }
      : {}),
    removed: row.removed.map(({ place, kind, count, at }) => ({
      place,
      kind,
      what: wordsFor(place, kind),
      count: BigInt(count),
      removedAt: toTimestamp(new Date(at)),
    })),
    ...(row.completed_at ? { completedAt: toTimestamp(row.completed_at) } : {}),
  };
}

/** Returns the same for a list, without the removed items. */
export function listedErasure(row: ListedErasureRow): MessageInitShape<typeof ListedErasureSchema> {
  return {
    erasureId: row.id,
    state: row.completed_at ? ErasureState.COMPLETE : ErasureState.IN_PROGRESS,
    reason: row.reason,
    requestedAt: toTimestamp(row.requested_at),
    requestedBy: row.requested_by,
    submissions: row.submissions,
    completed: row.completed,
    ...(row.completed_at ? { completedAt: toTimestamp(row.completed_at) } : {}),
    submissionIds: row.submission_ids,
  };
}

/** Returns the latest time; undefined while one is missing. */
function latest(times: readonly (Date | null)[]): Date | undefined {
  const all = times.flatMap((time) => (time ? [time.getTime()] : []));
  return all.length === times.length ? new Date(Math.max(...all)) : undefined;
}

/**
 * Returns the progress of an erasure, and its certificate. NOT_FOUND for an unknown one. Implements docs/contract.md,
 * section 10.
 */
export function getErasure({ pool }: Context): PrivacyRpcs['getErasure'] {
  return async ({ erasureId }) => {
    const found = await readErasure(pool, erasureId.toLowerCase());
    if (!found) throw refuse(RefusalCode.NOT_FOUND, 'There is no such erasure.');
    return erasureMessage(found.erasure, found.submissions);
  };
}

/**
 * Lists erasures, newest first, in pages. VALIDATION_ERROR for a page token of another query. Implements
 * docs/contract.md, section 10.
 */
export function listErasures({ pool }: Context): PrivacyRpcs['listErasures'] {
  return async (request) => {
    const page = requestedPage(ListErasuresRequestSchema, request, parseId<string>);
    const { since, inProgress, reason } = request;
    const filter = { since: since && toDate(since), inProgress, reason: reason || undefined };
    const { rows, next } = await listMatching(pool, filter, page.after, page.size);
    return { erasures: rows.map(listedErasure), nextPageToken: page.tokenAfter(next) };
  };
}
