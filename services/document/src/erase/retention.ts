import { type RetryDelays, retryDelayMs } from '@supplier/lib/data/queues';
import { serviceActor } from '@supplier/lib/governance/audit';
import type { Sweep } from '@supplier/lib/runtime/sweepers';
import type { DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { referenceKey } from '../model/admission.ts';
import {
  abandonedSince,
  refusedRetainedSince,
  retainedSince,
  unacceptedRetainedSince,
} from '../model/limits.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { inTransaction } from '../store/database.ts';
import type { DocumentRow } from '../store/document-rows.ts';
import { lockInState } from '../store/locks.sql.ts';
import { claimRemovals, completeRemoval } from '../store/object-removal.sql.ts';
import type { Reference } from '../submission-client.ts';
import { type Deletion, deleteDocuments } from './delete-documents.ts';
import {
  findAbandoned,
  findExpired,
  findWithUnknownAcceptance,
  forgetAbandoned as forget,
  holdBack,
  markAccepted,
} from './retention.sql.ts';

const BATCH = 100;

/**
 * Deletes documents whose retention has ended and that are not under legal hold. Implements docs/contract.md, section
 * 10.
 */
export const retention: Sweep<Context> = {
  found: 'expired documents deleted',
  everyMs: 10 * 60_000,
  async run(context) {
    const { clock, limits } = context;
    const at = clock.now();
    const since = {
      retainedSince: retainedSince(limits, at),
      refusedSince: refusedRetainedSince(limits, at),
    };
    const expired = await findExpired(context, since, at, BATCH);
    const deletion = { at, ...serviceActor('document'), action: 'Retention' } as const;
    const count = await removeUnlessHeld(context, expired, 'finalized', deletion);
    return { count, more: expired.length === BATCH };
  },
};

/**
 * Deletes documents after twelve months (a setting) if their submission was never accepted and is not under legal hold.
 * The submission service reports both; nothing is deleted while it does not. Implements docs/contract.md, section 10.
 */
export const unacceptedRetention: Sweep<Context> = {
  found: 'documents of unaccepted submissions deleted',
  everyMs: 10 * 60_000,
  async run(context) {
    const { db, clock, limits, findAccepted } = context;
    const at = clock.now();
    const unclear = await findWithUnknownAcceptance(context, unacceptedRetainedSince(limits, at), at, BATCH);
    if (unclear.length === 0) return { count: 0, more: false };
    const accepted = await findAccepted([...new Set(unclear.map(({ submissionId }) => submissionId))]);
    const isAccepted = ({ submissionId }: { readonly submissionId: SubmissionId }) =>
      accepted.has(submissionId);
    await markAccepted(
      db,
      unclear.filter(isAccepted).map(({ documentId }) => documentId),
    );
    const expired = unclear.filter((document) => !isAccepted(document));
    const deletion = { at, ...serviceActor('document'), action: 'Retention' } as const;
    const count = await removeUnlessHeld(context, expired, 'finalized', deletion);
    return { count, more: unclear.length === BATCH };
  },
};

/**
 * Deletes documents that are not finalized within 24 hours (a setting), unless their reference is under legal hold. Not
 * audited, because no person or service acts. Implements docs/contract.md, section 9.
 */
export const expireUnfinalized: Sweep<Context> = {
  found: 'unfinalized documents deleted',
  everyMs: 60_000,
  async run(context) {
    const at = context.clock.now();
    const abandoned = await findAbandoned(context, abandonedSince(context.limits, at), at, BATCH);
    const deletion = { at, ...serviceActor('document') };
    const count = await removeUnlessHeld(context, abandoned, 'awaiting_upload', deletion);
    return { count, more: abandoned.length === BATCH };
  },
};

const FORGOTTEN_AT_ONCE = 500;
/** Long enough to answer questions about a failed upload. */
const KEPT_MS = 30 * 24 * 3_600_000;

/**
 * Removes the rows of documents that were never finalized 30 days after their deletion. They have no bytes, name or
 * submission, so a legal hold does not apply, and a supplier can create any number of them. Implements
 * docs/contract.md, section 9.
 */
export const forgetAbandoned: Sweep<Context> = {
  found: 'abandoned uploads deleted',
  everyMs: 60 * 60_000,
  async run({ pool, clock }) {
    const count = await forget(pool, new Date(clock.now().getTime() - KEPT_MS), FORGOTTEN_AT_ONCE);
    return { count, more: count === FORGOTTEN_AT_ONCE };
  },
};

/** How long an answer about holds may be used: a hold placed after it takes effect at most this much later. */
const ANSWER_STANDS_MS = 3_000;
/**
 * When a document under legal hold is checked again: after the hold is released, the document is removed within this
 * time.
 */
const LOOK_AGAIN_MS = 3_600_000;

/** A document that may be removed unless its submission is under legal hold. */
export interface Removable extends Reference {
  readonly documentId: DocumentId;
}

/**
 * Deletes up to 100 documents, if they are still in `state` and not under legal hold, and holds back the others.
 * Resolves to how many it deleted. Rejects without removing anything when the submission service does not report the
 * holds, or when its answer is too old by the time the documents are locked. Implements docs/contract.md, section 10.
 */
export async function removeUnlessHeld(
  context: Pick<Context, 'db' | 'findHeld' | 'elapsedMs'>,
  candidates: readonly Removable[],
  state: DocumentRow['state'],
  deletion: Deletion,
): Promise<number> {
  if (candidates.length === 0) return 0;
  const { isHeld, requireFresh } = await fetchHolds(context, candidates);
  return inTransaction(context.db, async (tx) => {
    // All in one statement, ordered by id: replicas that receive different holds would otherwise deadlock.
    const documents = await lockInState(tx, idsOf(candidates), state);
    requireFresh();
    const lookAgainAt = new Date(deletion.at.getTime() + LOOK_AGAIN_MS);
    await holdBack(tx, idsOf(documents.filter(isHeld)), lookAgainAt);
    const free = documents.filter((document) => !isHeld(document));
    await deleteDocuments(tx, free, deletion);
    return free.length;
  });
}

const idsOf = (documents: readonly { readonly documentId: DocumentId }[]) =>
  documents.map(({ documentId }) => documentId);

/**
 * Fetches legal holds from the submission service. The result can check, once the documents are locked, whether the
 * answer is still fresh.
 */
export async function fetchHolds(
  { findHeld, elapsedMs }: Pick<Context, 'findHeld' | 'elapsedMs'>,
  references: readonly Reference[],
) {
  const asked = elapsedMs();
  const once = new Map(references.map((reference) => [referenceKey(reference), reference]));
  const held = await findHeld([...once.values()]);
  return {
    isHeld: (reference: Reference) => held.has(referenceKey(reference)),
    /** Throws when the answer is too old to act on. */
    requireFresh() {
      if (elapsedMs() - asked < ANSWER_STANDS_MS) return;
      throw new Error('removal of documents took too long after checking legal holds; nothing was removed');
    },
  };
}

const REMOVED_AT_ONCE = 50;
/** A claimed removal cannot be claimed again before it is retried. */
const RETRY_DELAYS = { seconds: [60], repeatsLast: true } as const satisfies RetryDelays;

/**
 * Removes unreferenced objects from the store. A failed removal is retried a minute later and does not delay the
 * others.
 */
export const removeObjects: Sweep<Context> = {
  found: 'objects removed',
  everyMs: 5_000,
  async run({ db, pool, clock, store }) {
    const now = clock.now();
    const until = new Date(now.getTime() + retryDelayMs(RETRY_DELAYS, 1));
    const claimed = await claimRemovals(pool, { now, until, limit: REMOVED_AT_ONCE });
    let failure: unknown;
    let count = 0;
    for (const removal of claimed) {
      try {
        await store.remove(removal.area, removal.objectKey);
        await completeRemoval(db, removal);
        count += 1;
      } catch (error) {
        failure = error;
        // The others would also fail, each after its own timeout.
        if (error instanceof StoreUnavailable) break;
      }
    }
    if (failure) throw failure;
    return { count, more: claimed.length === REMOVED_AT_ONCE };
  },
};
