import { appendEvents, newEvent } from '@supplier/lib/outbox';
import { toTimestamp } from '@supplier/lib/time';
import { DocumentDeletedSchema } from '@supplier/proto/document/v1/events';
import { environmentOf } from '../domain/environment.ts';
import { incomingRemovalDue } from '../domain/removal-times.ts';
import { appendAudit } from './audit.ts';
import type { Transaction } from './database.ts';
import type { DocumentRow } from './document-row.ts';
import { type ObjectRemoval, scheduleRemovals } from './object-removal.ts';

/** Who deletes, when, and by what action. */
export interface Deletion {
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
}

/**
 * Deletes documents that the transaction holds locked and that are not deleted yet: their names, what they use of their
 * accounts' quotas, and in time their bytes. Tells of each by an event and in the audit log.
 */
export async function deleteDocuments(
  tx: Transaction,
  documents: readonly DocumentRow[],
  { at, actor, action }: Deletion,
): Promise<void> {
  if (documents.length === 0) return;
  await tx.document.updateMany({
    where: { id: { in: documents.map(({ documentId }) => documentId) } },
    data: {
      state: 'deleted',
      deletedAt: at,
      filename: new Uint8Array(),
      scanDueAt: null,
      scanLeaseUntil: null,
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
  await appendAudit(
    tx,
    documents.map(({ accountId, documentId }) => ({ at, actor, action, accountId, details: { documentId } })),
  );
}

/** One account after the other, always in the same order: two that delete at once cannot wait for each other. */
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

function objectsOf({ objectKey, uploadExpiresAt, held }: DocumentRow, at: Date): ObjectRemoval[] {
  const upload = { area: 'incoming', objectKey, dueAt: incomingRemovalDue(uploadExpiresAt, at) } as const;
  return held ? [upload, { area: held.area, objectKey: held.key, dueAt: at }] : [upload];
}

function deletedEvent(document: DocumentRow, at: Date) {
  const told = {
    accountId: document.accountId,
    environment: environmentOf(document.environment),
    documentId: document.documentId,
    submissionId: document.submissionId ?? '',
    deletedAt: toTimestamp(at),
  };
  const aggregateVersion = document.version + 1n;
  return newEvent(DocumentDeletedSchema, told, {
    aggregateId: document.documentId,
    aggregateVersion,
    occurredAt: at,
  });
}
