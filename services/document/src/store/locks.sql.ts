// SQL, because Prisma can't lock rows.
import type { DocumentId } from '@supplier/lib/text/ids';
import type { Transaction } from './database.ts';
import { type DocumentRow, documentFromRow, findDocument } from './document-rows.ts';

/** Locks a document against other changes until the transaction ends, and returns it. */
export async function lockDocument(
  tx: Transaction,
  documentId: DocumentId,
): Promise<DocumentRow | undefined> {
  await tx.$queryRaw`SELECT 1 FROM document WHERE id = ${documentId}::uuid FOR UPDATE`;
  return findDocument(tx, documentId);
}

/** Locks the documents that are still in that state, and returns them. */
export async function lockInState(
  tx: Transaction,
  ids: readonly DocumentId[],
  state: DocumentRow['state'],
): Promise<DocumentRow[]> {
  const found = await tx.$queryRaw<{ id: DocumentId }[]>`
    SELECT id FROM document WHERE id = ANY(${[...ids]}::uuid[]) AND state = ${state}::document_state
    ORDER BY id FOR UPDATE`;
  const rows = await tx.document.findMany({ where: { id: { in: found.map(({ id }) => id) } } });
  return rows.map(documentFromRow);
}
