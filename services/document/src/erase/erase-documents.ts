import { actorOf, auditedRpc } from '@supplier/lib/governance/audit';
import { invalid, RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import { Environment } from '@supplier/proto/common/v1/status';
import type { Context, Rpcs } from '../context.ts';
import { environmentNameOf } from '../model/enum-mapping.ts';
import { isBeingCopied } from '../model/stored-object.ts';
import { StoreUnavailable } from '../object-store/object-store.ts';
import { notFound } from '../refusals.ts';
import { inTransaction } from '../store/database.ts';
import { findDocument, unnamedRecord } from '../store/document-rows.ts';
import { lockDocument } from '../store/locks.sql.ts';
import {
  deleteDocuments,
  endUploads,
  eraseDocumentsOf,
  findObjectsLeft,
  type ObjectLeft,
  recordRemoval,
} from './delete-documents.ts';
import { fetchHolds } from './retention.ts';

/** Objects removed in parallel. */
const CONCURRENCY = 8;
/**
 * Removal stops after this time, so that the response meets the caller's deadline; the caller's next call removes the
 * rest.
 */
const REMOVING_MS = 2_500;

/**
 * Erases every document of a reference or submission in any state, and removes its bytes from the store before it
 * responds. Repeating it continues with what is left, and changes nothing once everything is erased. `objectsLeft`
 * counts objects whose removal is not confirmed, and copies that a scan or a finalize may be making; the caller calls
 * again while it is above zero. The reference accepts no more reservations. Objects whose upload URL is still valid are
 * removed now and again after it expires. Implements docs/contract.md, section 10.
 */
export function eraseDocuments(context: Context): Rpcs['eraseDocuments'] {
  const { db, clock } = context;
  return async (request, call) => {
    const { environment } = request;
    if (environment === Environment.UNSPECIFIED)
      throw invalid('environment', 'must be sandbox or production');
    const person = {
      accountId: requestedId<AccountId>('account_id', request.accountId),
      environment: environmentNameOf(environment),
      externalReference: request.externalReference,
      submissionId: requestedId<SubmissionId>('submission_id', request.submissionId),
    };
    const by = {
      ...actorOf(call),
      action: auditedRpc(call.method),
      purpose: request.purpose,
      requester: request.requester,
    };
    // Runs first and in its own transaction, so that every earlier reservation has committed and is found.
    await inTransaction(db, (tx) => endUploads(tx, person, clock.now()));
    const erased = await inTransaction(db, (tx) => eraseDocumentsOf(tx, person, { at: clock.now(), ...by }));
    await removeAll(context, await findObjectsLeft(db, erased));
    const left = await findObjectsLeft(db, erased);
    return {
      documentsErased: BigInt(erased.length),
      objectsLeft: BigInt(left.length),
      uploadsEnded: true,
    };
  };
}

/** Removes as many objects as it can within its time limit, and stops once the store is unavailable. */
async function removeAll(context: Context, objects: readonly ObjectLeft[]): Promise<void> {
  const { clock, elapsedMs } = context;
  const queue = objects.filter(({ copyBegunAt }) => !isBeingCopied(copyBegunAt, clock.now()));
  const startedAt = elapsedMs();
  let isAvailable = true;
  while (queue.length > 0 && isAvailable && elapsedMs() - startedAt < REMOVING_MS) {
    const removed = await Promise.all(
      queue.splice(0, CONCURRENCY).map((object) => removeObject(context, object)),
    );
    isAvailable = removed.every(Boolean);
  }
}

/** Resolves to whether the store is available. */
async function removeObject({ db, clock, store }: Context, object: ObjectLeft): Promise<boolean> {
  try {
    await store.remove(object.area, object.objectKey);
  } catch (error) {
    // Counted as left: both the sweeper and the caller try again.
    if (error instanceof StoreUnavailable) return false;
    throw error;
  }
  await recordRemoval(db, object, clock.now());
  return true;
}

/**
 * Deletes a document permanently: its filename immediately, its bytes soon after. Repeating it changes nothing and is
 * not audited again. WRONG_STATE for a document whose submission is under legal hold, SERVICE_UNAVAILABLE while the
 * submission service cannot report whether it is. Implements docs/contract.md, section 10.
 */
export function deleteDocument(context: Context): Rpcs['deleteDocument'] {
  const { db, clock } = context;
  return async (request, call) => {
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const asked = await findDocument(db, documentId);
    if (!asked) throw notFound();
    if (asked.state === 'deleted') return unnamedRecord(asked);
    const { isHeld, requireFresh } = await fetchHolds(context, [asked]);
    if (isHeld(asked)) {
      const message = `Document ${documentId} belongs to a submission under legal hold. Nothing was deleted. Release the hold first.`;
      throw refuse(RefusalCode.WRONG_STATE, message);
    }
    const document = await inTransaction(db, async (tx) => {
      const before = await lockDocument(tx, documentId);
      if (!before || before.state === 'deleted') return before;
      requireFresh();
      const by = { ...actorOf(call), action: auditedRpc(call.method) };
      await deleteDocuments(tx, [before], { at: clock.now(), ...by });
      return findDocument(tx, documentId);
    });
    if (!document) throw notFound();
    return unnamedRecord(document);
  };
}
