import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/ids';
import type { EnvironmentName } from '../domain/environment.ts';
import type { Database, Transaction } from './database.ts';
import { type DocumentRow, documentFromRow } from './document-row.ts';

/** A supplier's own document; undefined for another's as for an unknown one. */
export async function findDocumentOf(
  db: Database | Transaction,
  tenant: { readonly accountId: AccountId; readonly environment: EnvironmentName },
  documentId: DocumentId,
): Promise<DocumentRow | undefined> {
  const { accountId, environment } = tenant;
  const row = await db.document.findFirst({ where: { id: documentId, accountId, environment } });
  return row ? documentFromRow(row) : undefined;
}

/** Any document, as staff find it. */
export async function findDocument(
  db: Database | Transaction,
  documentId: DocumentId,
): Promise<DocumentRow | undefined> {
  const row = await db.document.findUnique({ where: { id: documentId } });
  return row ? documentFromRow(row) : undefined;
}

/** The first `limit` documents of a submission, deleted ones included, oldest first. */
export async function findDocumentsOf(
  db: Database | Transaction,
  submissionId: SubmissionId,
  limit: number,
): Promise<DocumentRow[]> {
  const orderBy = [{ createdAt: 'asc' as const }, { id: 'asc' as const }];
  const rows = await db.document.findMany({ where: { submissionId }, orderBy, take: limit });
  return rows.map(documentFromRow);
}

/** A document, and nobody else changes it until the transaction ends. */
export async function lockDocument(
  tx: Transaction,
  documentId: DocumentId,
): Promise<DocumentRow | undefined> {
  await tx.$queryRaw`SELECT 1 FROM document WHERE id = ${documentId}::uuid FOR UPDATE`;
  return findDocument(tx, documentId);
}
