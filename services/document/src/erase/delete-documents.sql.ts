import { appendEvents, newEvent } from '@supplier/lib/events/outbox';
import { type AuditActor, appendAudit, onBehalfOf, type Requester } from '@supplier/lib/governance/audit';
import type { DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { DocumentDeletedSchema } from '@supplier/proto/document/v1/events';
import { environmentOf } from '../model/enum-mapping.ts';
import { incomingRemovalDue } from '../model/stored-object.ts';
import type { Database, Transaction } from '../store/database.ts';
import { type DocumentRow, documentFromRow } from '../store/document-rows.ts';
import { type RemovalOfDocument, scheduleRemovals } from '../store/object-removal.ts';

/** Who deletes, when, and by which action. */
export interface Deletion extends AuditActor {
  readonly at: Date;
  readonly action: string;
  /** Why, in the words of whoever requested it. */
  readonly purpose?: string;
  /** For whom a service deletes them; undefined where it acts by itself. */
  readonly requester?: Requester | undefined;
  /** What is nobody's act, as an upload that its supplier abandons, has no audit entry. */
  readonly isUnaudited?: true;
}

/**
 * Deletes documents that the transaction has locked and that are not deleted yet: erases their filenames, releases
 * their accounts' quotas and schedules the removal of their bytes. Appends a domain event and an audit entry for each.
 */
export async function deleteDocuments(
  tx: Transaction,
  documents: readonly DocumentRow[],
  { at, isUnaudited, requester, ...by }: Deletion,
): Promise<void> {
  if (documents.length === 0) return;
  await tx.document.updateMany({
    where: { id: { in: documents.map(({ documentId }) => documentId) } },
    data: {
      state: 'deleted',
      deletedAt: at,
      filename: new Uint8Array(),
      // A digest of the bytes: anyone with the same file could tell.
      etag: null,
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
  if (isUnaudited) return;
  await appendAudit(
    tx,
    ...documents.map(({ accountId, documentId, state }) =>
      onBehalfOf(requester, {
        ...by,
        at,
        target: documentId,
        accountId,
        before: { state },
        after: { documentId },
      }),
    ),
  );
}

/** One account after the other, always in the same order: two deletions at once cannot deadlock. */
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
 * Finds up to `limit` documents that were reserved at `abandonedSince` or before and never finalized, oldest first,
 * except those held back beyond `now`.
 */
export async function findAbandoned(
  db: Database,
  abandonedSince: Date,
  now: Date,
  limit: number,
): Promise<DocumentRow[]> {
  const ids = await db.$queryRaw<{ id: DocumentId }[]>`
    SELECT id FROM document
    WHERE state = 'awaiting_upload' AND created_at <= ${abandonedSince}
      AND (held_back_until IS NULL OR held_back_until <= ${now})
    ORDER BY created_at LIMIT ${limit}`;
  return readDocuments(db, ids);
}

/**
 * Finds up to `limit` documents past their retention, those finalized first first: finalized at `retainedSince` or
 * before, or found infected or scan_failed at `refusedSince` or before. Those that are held back beyond `now` are left
 * out.
 */
export async function findExpired(
  db: Database,
  { retainedSince, refusedSince }: { readonly retainedSince: Date; readonly refusedSince: Date },
  now: Date,
  limit: number,
): Promise<DocumentRow[]> {
  const ids = await db.$queryRaw<{ id: DocumentId }[]>`
    SELECT id FROM document
    WHERE state = 'finalized' AND (held_back_until IS NULL OR held_back_until <= ${now})
      AND (finalized_at <= ${retainedSince}
        OR (finalized_at <= ${refusedSince} AND scanned_at <= ${refusedSince}
            AND scan_status IN ('infected', 'scan_failed')))
    ORDER BY finalized_at LIMIT ${limit}`;
  return readDocuments(db, ids);
}

/** A document of which it is not known whether its submission was accepted. */
export interface UnknownAcceptance extends DocumentRow {
  readonly submissionId: SubmissionId;
}

/**
 * Finds up to `limit` documents that were finalized at `since` or before, and whose submissions may not have been
 * accepted.
 */
export async function findWithUnknownAcceptance(
  db: Database,
  since: Date,
  now: Date,
  limit: number,
): Promise<UnknownAcceptance[]> {
  const rows = await db.document.findMany({
    where: {
      state: 'finalized',
      finalizedAt: { lte: since },
      submissionAccepted: null,
      OR: [{ heldBackUntil: null }, { heldBackUntil: { lte: now } }],
    },
    orderBy: { finalizedAt: 'asc' },
    take: limit,
  });
  return rows.map((row) => ({ ...documentFromRow(row), submissionId: row.submissionId as SubmissionId }));
}

/** Remembers that the submissions of these documents were accepted, which does not change any more. */
export async function markAccepted(db: Database, ids: readonly DocumentId[]): Promise<void> {
  if (ids.length === 0) return;
  await db.document.updateMany({ where: { id: { in: [...ids] } }, data: { submissionAccepted: true } });
}

/** Has documents that a legal hold keeps left alone until then, so that they hide nothing that comes after them. */
export async function holdBack(tx: Transaction, ids: readonly DocumentId[], until: Date): Promise<void> {
  if (ids.length === 0) return;
  await tx.document.updateMany({ where: { id: { in: [...ids] } }, data: { heldBackUntil: until } });
}

/** Locks those of the documents that are still in that state. */
export async function lockInState(
  tx: Transaction,
  ids: readonly DocumentId[],
  state: DocumentRow['state'],
): Promise<DocumentRow[]> {
  const found = await tx.$queryRaw<{ id: DocumentId }[]>`
    SELECT id FROM document WHERE id = ANY(${[...ids]}::uuid[]) AND state = ${state}::document_state
    ORDER BY id FOR UPDATE`;
  return readDocuments(tx, found);
}

async function readDocuments(
  tx: Database | Transaction,
  ids: readonly { id: DocumentId }[],
): Promise<DocumentRow[]> {
  const rows = await tx.document.findMany({ where: { id: { in: ids.map(({ id }) => id) } } });
  return rows.map(documentFromRow);
}

/**
 * Removes the rows of up to `limit` documents that were deleted at `since` or before and never finalized, those deleted
 * longest ago first; none while the store still has to remove their bytes. Resolves to how many.
 */
export function forgetAbandoned(db: Database, since: Date, limit: number): Promise<number> {
  return db.$executeRaw`
    DELETE FROM document WHERE id IN (
      SELECT id FROM document AS d
       WHERE state = 'deleted' AND finalized_at IS NULL AND deleted_at <= ${since}
         AND NOT EXISTS (SELECT FROM object_removal AS r WHERE r.document_id = d.id)
       ORDER BY deleted_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)`;
}
