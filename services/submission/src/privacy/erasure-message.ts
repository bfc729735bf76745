import type { MessageInitShape } from '@bufbuild/protobuf';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { parseId } from '@supplier/lib/text/ids';
import { optionalTimestamp, toDate, toTimestamp } from '@supplier/lib/text/time';
import {
  type ErasedSubmissionSchema,
  type ErasureSchema,
  ErasureState,
  ListErasuresRequestSchema,
  type ListedErasureSchema,
} from '@supplier/proto/submission/v1/erasures';
import type { Context, PrivacyRpcs } from '../context.ts';
import { type Removed, wordsFor } from './erasures.sql.ts';
import {
  type ErasureRow,
  type ListedErasureRow,
  listErasures as listMatching,
  readErasure,
} from './read-erasures.ts';

/** Data kept for every erased submission. None of it identifies the applicant. */
const KEPT = [
  {
    place: 'submission',
    what: "ids, the supplier's reference and its idempotency keys",
    why: 'prevents the reference from being reused for a new enquiry',
  },
  {
    place: 'submission',
    what: 'status, times, the decision with its rule and policy, and the state of pre-underwriting',
    why: 'document the decision, without data about the applicant',
  },
  { place: 'billing', what: 'ledger lines', why: 'accounting records must be kept by law' },
  {
    place: 'document',
    what: 'ids, category, type, size and times of documents',
    why: 'document what was received and removed',
  },
  {
    place: 'webhook',
    what: 'events without links, and the times and outcomes of attempts, until their retention ends',
    why: 'document what was sent to the supplier, which contains no data about the applicant',
  },
  {
    place: 'every service',
    what: 'the audit log, which has ids, and what staff entered: purposes, policy texts, and reasons for refusals',
    why: 'documents who read and changed what, including this erasure',
  },
  {
    place: 'every service',
    what: 'events, with ids and the id of the request that caused them, until their retention ends',
    why: "document what was published; ids chosen by the supplier aren't among them",
  },
  {
    place: 'gateway',
    what: 'log lines with the request id that the supplier sent, until log retention ends',
    why: 'document who called from where',
  },
  {
    place: 'backups',
    what: 'backups of databases and documents, including versions of deleted objects, until each backup expires',
    why: 'needed to restore a lost system; data erased since is then erased again',
  },
] as const;

export function erasureMessage(erasure: ErasureRow): MessageInitShape<typeof ErasureSchema> {
  return {
    ...progressOf(erasure),
    purpose: erasure.purpose,
    submissions: erasure.submissions.map(submissionMessage),
    kept: [...KEPT],
  };
}

function submissionMessage({
  submissionId,
  submission: { accountId, environment, externalReference },
  step: nextStep,
  waitingSince,
  waitingFor,
  completedAt,
  ...row
}: ErasureRow['submissions'][number]): MessageInitShape<typeof ErasedSubmissionSchema> {
  const removed = row.removed as unknown as readonly Removed[];
  return {
    submissionId,
    accountId,
    environment,
    externalReference,
    nextStep,
    ...(waitingSince ? { waitingSince: toTimestamp(waitingSince), waitingFor: waitingFor ?? '' } : {}),
    removed: removed.map(({ place, kind, count, at }) => ({
      place,
      kind,
      what: wordsFor(place, kind),
      count: BigInt(count),
      removedAt: toTimestamp(new Date(at)),
    })),
    completedAt: optionalTimestamp(completedAt),
  };
}

/** Returns the same for a list, without the removed items. */
function listedErasure(erasure: ListedErasureRow): MessageInitShape<typeof ListedErasureSchema> {
  const { submissions } = erasure;
  return {
    ...progressOf(erasure),
    submissions: submissions.length,
    completed: submissions.filter((one) => one.completedAt).length,
    submissionIds: submissions.map(({ submissionId }) => submissionId),
  };
}

function progressOf({ id, requestedAt, requestedBy, reason, submissions }: ErasureRow | ListedErasureRow) {
  const completedAt = latest(submissions.map((one) => one.completedAt));
  return {
    erasureId: id,
    state: completedAt ? ErasureState.COMPLETE : ErasureState.IN_PROGRESS,
    reason,
    requestedAt: toTimestamp(requestedAt),
    requestedBy,
    completedAt: optionalTimestamp(completedAt),
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
export function getErasure({ db }: Context): PrivacyRpcs['getErasure'] {
  return async ({ erasureId }) => {
    const found = await readErasure(db, erasureId.toLowerCase());
    if (!found) throw refuse(RefusalCode.NOT_FOUND, 'There is no such erasure.');
    return erasureMessage(found);
  };
}

/**
 * Lists erasures, newest first, in pages. VALIDATION_ERROR for a page token of another query. Implements
 * docs/contract.md, section 10.
 */
export function listErasures({ db }: Context): PrivacyRpcs['listErasures'] {
  return async (request) => {
    const page = requestedPage(ListErasuresRequestSchema, request, parseId<string>);
    const { since, inProgress, reason } = request;
    const filter = { since: since && toDate(since), inProgress, reason: reason || undefined };
    const found = await listMatching(db, filter, page.after, page.size);
    return { erasures: found.page.map(listedErasure), nextPageToken: page.tokenAfter(found.next) };
  };
}
