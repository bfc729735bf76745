import type { DocumentId } from '@supplier/lib/text/ids';
import type { Context } from '../context.ts';
import { referenceKey } from '../model/admission.ts';
import { inTransaction } from '../store/database.ts';
import type { DocumentRow } from '../store/document-rows.ts';
import type { Reference } from '../submission-client.ts';
import { type Deletion, deleteDocuments, holdBack, lockInState } from './delete-documents.sql.ts';

/** How long the answer to what is held stands: a hold that comes after it keeps what is there so much later. */
const ANSWER_STANDS_MS = 3_000;
/** When a document that a hold keeps is looked at again: its release is followed by its removal within that time. */
const LOOK_AGAIN_MS = 3_600_000;

/** A document that may be removed unless its submission is under legal hold. */
export interface Removable extends Reference {
  readonly documentId: DocumentId;
}

/**
 * Deletes those of up to 100 documents that are still in `state` and that no legal hold keeps, and puts the others off.
 * Resolves to how many it deleted. Rejects, and nothing is removed, where the submission service does not say what is
 * held, or where what it said is too old by the time the documents are locked. Implements docs/contract.md, section 10.
 */
export async function removeUnlessHeld(
  context: Pick<Context, 'db' | 'findHeld' | 'elapsedMs'>,
  candidates: readonly Removable[],
  state: DocumentRow['state'],
  deletion: Deletion,
): Promise<number> {
  if (candidates.length === 0) return 0;
  const { isHeld, requireFresh } = await askForHolds(context, candidates);
  return inTransaction(context.db, async (tx) => {
    // All at once, in the order of their ids: replicas that hear about different holds would deadlock otherwise.
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

/** What the submission service has said, and how to make sure, once the documents are locked, that it still stands. */
export async function askForHolds(
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
      throw new Error('removal of documents took too long after asking for legal holds: nothing was removed');
    },
  };
}
