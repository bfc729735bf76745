import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import type { EnvironmentName } from '../model/enum-mapping.ts';
import type { Database, Transaction } from '../store/database.ts';
import { documentFromRow } from '../store/document-rows.ts';
import type { ObjectRemoval } from '../store/object-removal.ts';
import { type Deletion, deleteDocuments } from './delete-documents.sql.ts';

/** Whose documents are erased: those of the reference, and those of the submission. */
export interface ErasedPerson {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
  readonly submissionId: SubmissionId;
}

/**
 * Has no more documents reserved for the reference, for good. Waits for reservations of the account that are under way: they
 * lock its usage first, too.
 */
export async function endUploads(tx: Transaction, person: ErasedPerson, at: Date): Promise<void> {
  const { accountId, environment, externalReference } = person;
  await tx.$executeRaw`
    INSERT INTO account_usage (account_id, environment, bytes) VALUES (${accountId}::uuid, ${environment}::environment, 0)
    ON CONFLICT (account_id, environment) DO UPDATE SET bytes = account_usage.bytes`;
  const reference = { accountId, environment, externalReference, erasedAt: at };
  await tx.erasedReference.createMany({ data: [reference], skipDuplicates: true });
}

/** Documents that are erased, and the keys that their objects had. */
export interface ErasedDocuments {
  readonly documentIds: readonly DocumentId[];
  readonly objectKeys: readonly string[];
}

/**
 * Deletes every document of the person that is not deleted yet, in whatever state it is, and empties what is left of
 * those that were deleted before. A scan that is under way has lost its lease then, and a finalize its document.
 */
export async function eraseDocumentsOf(
  tx: Transaction,
  person: ErasedPerson,
  deletion: Deletion,
): Promise<ErasedDocuments> {
  const { accountId, environment, externalReference, submissionId } = person;
  // One order for everybody: two calls at once cannot deadlock.
  const found = await tx.$queryRaw<{ id: DocumentId }[]>`
    SELECT id FROM document
     WHERE (account_id = ${accountId}::uuid AND environment = ${environment}::environment
            AND external_reference = ${externalReference})
        OR submission_id = ${submissionId}::uuid
     ORDER BY id FOR UPDATE`;
  const where = { id: { in: found.map(({ id }) => id) } };
  const rows = await tx.document.findMany({ where });
  const documents = rows.map(documentFromRow);
  await deleteDocuments(
    tx,
    documents.filter(({ state }) => state !== 'deleted'),
    deletion,
  );
  await tx.document.updateMany({ where: { ...where, etag: { not: null } }, data: { etag: null } });
  return {
    documentIds: documents.map(({ documentId }) => documentId),
    objectKeys: rows.flatMap(({ objectKey, heldKey }) =>
      heldKey === null ? [objectKey] : [objectKey, heldKey],
    ),
  };
}

/** An object of an erased document that is not known to be gone. */
export interface ObjectLeft extends ObjectRemoval {
  /** Since when a copy is being made; undefined for what is no copy. */
  readonly copyBegunAt: Date | undefined;
}

/** Objects of erased documents that were not removed yet. The version before did not write down whose they are. */
export async function findObjectsLeft(
  db: Database,
  { documentIds, objectKeys }: ErasedDocuments,
): Promise<ObjectLeft[]> {
  const rows = await db.objectRemoval.findMany({
    where: {
      removedAt: null,
      OR: [
        { documentId: { in: [...documentIds] } },
        { area: { in: ['incoming', 'held', 'clean'] }, objectKey: { in: [...objectKeys] } },
      ],
    },
    select: { area: true, objectKey: true, dueAt: true, copyBegunAt: true },
  });
  return rows.map(({ copyBegunAt, ...row }) => ({ ...row, copyBegunAt: copyBegunAt ?? undefined }));
}

/** Notes that an object was removed. One that something may still bring back is removed once more when that is due. */
export async function recordRemoval(
  db: Database,
  { area, objectKey, dueAt }: ObjectRemoval,
  now: Date,
): Promise<void> {
  const where = { area, objectKey, dueAt };
  if (dueAt <= now) await db.objectRemoval.deleteMany({ where });
  else await db.objectRemoval.updateMany({ where: { area, objectKey }, data: { removedAt: now } });
}
