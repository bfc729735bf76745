import { appendEvents, newEvent } from '@supplier/lib/events/outbox';
import {
  type AuditActor,
  type AuditedAction,
  appendAudit,
  onBehalfOf,
  type Requester,
} from '@supplier/lib/governance/audit';
import type { DocumentId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { DocumentDeletedSchema } from '@supplier/proto/document/v1/events';
import { environmentOf } from '../model/enum-mapping.ts';
import { incomingRemovalDue } from '../model/stored-object.ts';
import type { Database, Transaction } from '../store/database.ts';
import { type DocumentRow, documentFromRow } from '../store/document-rows.ts';
import { type ErasedPerson, lockDocumentsOf, lockUsageOf } from '../store/locks.sql.ts';
import { type ObjectRemoval, type RemovalOfDocument, scheduleRemovals } from '../store/object-removal.sql.ts';

/** Who deletes the documents, when, and by which action. */
export interface Deletion extends AuditActor {
  readonly at: Date;
  /** Absent when no person or service acts, as when a supplier abandons an upload: no audit entry is written. */
  readonly action?: AuditedAction['action'];
  /** The requester's purpose, verbatim. */
  readonly purpose?: string;
  /** The person on whose behalf a service deletes them; undefined when it acts automatically. */
  readonly requester?: Requester | undefined;
}

/**
 * Deletes documents that the transaction has locked and that are not deleted yet: erases their filenames and the
 * faults of their content, releases
 * their accounts' quotas and schedules the removal of their bytes. Appends a domain event and an audit entry for each.
 */
export async function deleteDocuments(
  tx: Transaction,
  documents: readonly DocumentRow[],
  { at, action, requester, ...by }: Deletion,
): Promise<void> {
  if (documents.length === 0) return;
  await tx.document.updateMany({
    where: { id: { in: documents.map(({ documentId }) => documentId) } },
    data: {
      state: 'deleted',
      deletedAt: at,
      filename: new Uint8Array(),
      // The ETag is a digest of the bytes, which would identify the file to anyone who has a copy.
      etag: null,
      scanRule: null,
      scanPart: null,
      scanDueAt: null,
      scanLeaseUntil: null,
      scanParkedAt: null,
      version: { increment: 1 },
    },
  });
  await releaseBytes(tx, documents);
  await scheduleRemovals(
    tx,
    documents.flatMap((document) => objectsOf(document, at)),
  );
  await appendEvents(
    tx,
    documents.map((document) => deletedEvent(document, at)),
  );
  if (action === undefined) return;
  await appendAudit(
    tx,
    ...documents.map(({ accountId, documentId, state }) =>
      onBehalfOf(requester, {
        ...by,
        at,
        action,
        target: documentId,
        accountId,
        before: { state },
        after: { documentId },
      }),
    ),
  );
}

/** Updates accounts in a fixed order, so that concurrent deletions cannot deadlock. */
async function releaseBytes(tx: Transaction, documents: readonly DocumentRow[]): Promise<void> {
  const released = new Map<
    string,
    { account: Pick<DocumentRow, 'accountId' | 'environment'>; bytes: bigint }
  >();
  for (const { accountId, environment, byteSize } of documents) {
    const key = `${accountId} ${environment}`;
    const bytes = (released.get(key)?.bytes ?? 0n) + byteSize;
    released.set(key, { account: { accountId, environment }, bytes });
  }
  for (const [, { account, bytes }] of [...released].sort(([a], [b]) => (a < b ? -1 : 1)))
    await tx.accountUsage.update({
      where: { accountId_environment: { accountId: account.accountId, environment: account.environment } },
      data: { bytes: { decrement: bytes } },
    });
}

function objectsOf(document: DocumentRow, at: Date): RemovalOfDocument[] {
  const { documentId, objectKey, uploadExpiresAt, held } = document;
  const dueAt = incomingRemovalDue(uploadExpiresAt, at);
  const upload = { documentId, area: 'incoming', objectKey, dueAt } as const;
  return held ? [upload, { documentId, area: held.area, objectKey: held.key, dueAt: at }] : [upload];
}

function deletedEvent(document: DocumentRow, at: Date) {
  const message = {
    accountId: document.accountId,
    environment: environmentOf(document.environment),
    documentId: document.documentId,
    submissionId: document.submissionId ?? '',
    deletedAt: toTimestamp(at),
  };
  const aggregateVersion = document.version + 1n;
  return newEvent(DocumentDeletedSchema, message, {
    aggregateId: document.documentId,
    aggregateVersion,
    occurredAt: at,
  });
}

/**
 * Permanently blocks new reservations for the reference. Waits for reservations of the account in progress, which also
 * lock its usage first.
 */
export async function endUploads(tx: Transaction, person: ErasedPerson, at: Date): Promise<void> {
  const { accountId, environment, externalReference } = person;
  await lockUsageOf(tx, person);
  const reference = { accountId, environment, externalReference, erasedAt: at };
  await tx.erasedReference.createMany({ data: [reference], skipDuplicates: true });
}

/**
 * Deletes every document of the person in any state, and resolves to their ids. A scan in progress loses its lease, and a
 * finalize its document.
 */
export async function eraseDocumentsOf(
  tx: Transaction,
  person: ErasedPerson,
  deletion: Deletion,
): Promise<DocumentId[]> {
  const ids = await lockDocumentsOf(tx, person);
  const rows = await tx.document.findMany({ where: { id: { in: ids } } });
  const documents = rows.map(documentFromRow);
  await deleteDocuments(
    tx,
    documents.filter(({ state }) => state !== 'deleted'),
    deletion,
  );
  return ids;
}

/** An object of an erased document whose removal is not confirmed. */
export interface ObjectLeft extends ObjectRemoval {
  /** When the copy was started; undefined if the object is not a copy. */
  readonly copyBegunAt: Date | undefined;
}

/** Returns the objects of erased documents that have not been removed. */
export async function findObjectsLeft(db: Database, ids: readonly DocumentId[]): Promise<ObjectLeft[]> {
  const rows = await db.objectRemoval.findMany({
    where: { removedAt: null, documentId: { in: [...ids] } },
    select: { area: true, objectKey: true, dueAt: true, copyBegunAt: true },
  });
  return rows.map(({ copyBegunAt, ...row }) => ({ ...row, copyBegunAt: copyBegunAt ?? undefined }));
}

/** Records that an object was removed. An object that a later write may restore is removed again when that is due. */
export async function recordRemoval(
  db: Database,
  { area, objectKey, dueAt }: ObjectRemoval,
  now: Date,
): Promise<void> {
  const where = { area, objectKey, dueAt };
  if (dueAt <= now) await db.objectRemoval.deleteMany({ where });
  else await db.objectRemoval.updateMany({ where: { area, objectKey }, data: { removedAt: now } });
}
