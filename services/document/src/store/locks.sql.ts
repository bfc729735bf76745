// SQL, because Prisma can't lock rows.
import type { DocumentId } from '@supplier/lib/text/ids';
import type { Transaction } from './database.ts';
import { type DocumentRow, documentFromRow, findDocument } from './document-rows.ts';

/** Locks a document against other changes until the transaction ends, and returns it. */
export async function lockDocument(
  tx: Transaction,
  documentId: DocumentId,
): Promise<DocumentRow | undefined> {
  await tx.query('SELECT FROM document WHERE id = $1 FOR UPDATE', [documentId]);
  return findDocument(tx, documentId);
}

/** Locks the documents that are still in that state, and returns them. */
export async function lockInState(
  tx: Transaction,
  ids: readonly DocumentId[],
  state: DocumentRow['state'],
): Promise<DocumentRow[]> {
  const { rows: found } = await tx.query<{ id: DocumentId }>(
    'SELECT id FROM document WHERE id = ANY($1::uuid[]) AND state = $2 ORDER BY id FOR UPDATE',
    [ids, state],
  );
  const rows = await tx.document.findMany({ where: { id: { in: found.map(({ id }) => id) } } });
  return rows.map(documentFromRow);
}
