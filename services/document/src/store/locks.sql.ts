// SQL, because Prisma can't lock rows.
import type { SqlSession } from '@supplier/lib/data/postgres';
import type { AccountId, DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import type { EnvironmentName } from '../model/enum-mapping.ts';
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

/** Identifies the documents to erase, by reference and by submission. */
export interface ErasedPerson {
  readonly accountId: AccountId;
  readonly environment: EnvironmentName;
  readonly externalReference: string;
  readonly submissionId: SubmissionId;
}

/** Locks the usage of the person's account, as reservations and deletions do, until the transaction ends. */
export async function lockUsageOf(tx: SqlSession, { accountId, environment }: ErasedPerson): Promise<void> {
  await tx.query(
    `INSERT INTO account_usage (account_id, environment, bytes) VALUES ($1, $2, 0)
     ON CONFLICT (account_id, environment) DO UPDATE SET bytes = account_usage.bytes`,
    [accountId, environment],
  );
}

/** Locks every document of the person, in a fixed order, so that concurrent calls cannot deadlock. */
export async function lockDocumentsOf(tx: SqlSession, person: ErasedPerson): Promise<DocumentId[]> {
  const { accountId, environment, externalReference, submissionId } = person;
  const { rows } = await tx.query<{ id: DocumentId }>(
    `SELECT id FROM document
      WHERE (account_id = $1 AND environment = $2 AND external_reference = $3) OR submission_id = $4
      ORDER BY id FOR UPDATE`,
    [accountId, environment, externalReference, submissionId],
  );
  return rows.map(({ id }) => id);
}
