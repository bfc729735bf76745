// SQL, because documents are reserved in sets, under the locks of their accounts.
import { columnMap, enqueue } from '@supplier/lib/data/postgres';
import type { DocumentId } from '@supplier/lib/text/ids';
import type pg from 'pg';
import { accountKey, type ReservationRequest, referenceKey, type Usage } from '../model/admission.ts';
import type { ContentType } from '../model/content-types.ts';
import type { CategoryName } from '../model/enum-mapping.ts';

/** A new document and its pending upload. */
export interface Reservation extends ReservationRequest {
  readonly documentId: DocumentId;
  readonly category: CategoryName;
  readonly sealedFilename: Uint8Array;
  readonly contentType: ContentType;
  readonly objectKey: string;
  readonly createdAt: Date;
  readonly uploadExpiresAt: Date;
}

const LOCK = `
  INSERT INTO account_usage (account_id, environment, bytes)
  SELECT account_id, environment, 0
  FROM unnest($1::uuid[], $2::environment[]) WITH ORDINALITY AS asked(account_id, environment, place) ORDER BY place
  ON CONFLICT (account_id, environment) DO UPDATE SET bytes = account_usage.bytes
  RETURNING account_id, environment, bytes`;

/**
 * Locks the usage of accounts against reservations and deletions until the transaction ends, and returns their bytes by
 * accountKey.
 */
export async function lockUsage(
  client: pg.PoolClient,
  accounts: readonly ReservationRequest[],
): Promise<Map<string, bigint>> {
  const { rows } = await client.query<{
    account_id: ReservationRequest['accountId'];
    environment: ReservationRequest['environment'];
    bytes: string;
  }>({
    name: 'lock-usage',
    text: LOCK,
    values: [accounts.map(({ accountId }) => accountId), accounts.map(({ environment }) => environment)],
  });
  return new Map(
    rows.map(({ account_id: accountId, environment, bytes }) => [
      accountKey({ accountId, environment }),
      BigInt(bytes),
    ]),
  );
}

const COUNT = `
  SELECT (SELECT count(*) FROM document
          WHERE document.account_id = asked.account_id AND document.environment = asked.environment
            AND document.external_reference = asked.external_reference AND state <> 'deleted')::integer AS count,
         EXISTS (SELECT FROM erased_reference
                 WHERE erased_reference.account_id = asked.account_id AND erased_reference.environment = asked.environment
                   AND erased_reference.external_reference = asked.external_reference) AS erased
  FROM unnest($1::uuid[], $2::environment[], $3::text[])
    WITH ORDINALITY AS asked(account_id, environment, external_reference, place)
  ORDER BY place`;

/**
 * Returns the number of documents of each reference, excluding deleted ones, and the erased references, by
 * referenceKey.
 */
export async function countDocuments(
  client: pg.PoolClient,
  group: readonly ReservationRequest[],
): Promise<Pick<Usage, 'documents' | 'erased'>> {
  const references = [...new Map(group.map((document) => [referenceKey(document), document])).values()];
  const { rows } = await client.query<{ count: number; erased: boolean }>({
    name: 'count-documents',
    text: COUNT,
    values: [
      references.map(({ accountId }) => accountId),
      references.map(({ environment }) => environment),
      references.map(({ externalReference }) => externalReference),
    ],
  });
  const keys = references.map(referenceKey);
  return {
    documents: new Map(keys.map((key, index) => [key, rows[index]?.count ?? 0])),
    erased: new Set(keys.filter((_, index) => rows[index]?.erased)),
  };
}

const ROW = columnMap<Reservation>({
  id: ['uuid', ({ documentId }) => documentId],
  account_id: ['uuid', ({ accountId }) => accountId],
  environment: ['environment', ({ environment }) => environment],
  external_reference: ['text', ({ externalReference }) => externalReference],
  category: ['document_category', ({ category }) => category],
  filename: ['bytea', ({ sealedFilename }) => Buffer.from(sealedFilename)],
  content_type: ['text', ({ contentType }) => contentType],
  byte_size: ['bigint', ({ byteSize }) => byteSize],
  object_key: ['text', ({ objectKey }) => objectKey],
  created_at: ['timestamptz', ({ createdAt }) => createdAt],
  upload_expires_at: ['timestamptz', ({ uploadExpiresAt }) => uploadExpiresAt],
});

const INSERT = `
  WITH reserved AS (SELECT * FROM ${ROW.given()}),
  used AS (
    UPDATE account_usage SET bytes = account_usage.bytes + added.bytes
    FROM (SELECT account_id, environment, sum(byte_size)::bigint AS bytes FROM reserved GROUP BY 1, 2) AS added
    WHERE account_usage.account_id = added.account_id AND account_usage.environment = added.environment)
  INSERT INTO document (${ROW.names}, state) SELECT ${ROW.names}, 'awaiting_upload' FROM reserved`;

/** Inserts admitted documents and adds their bytes to the usage of their accounts. */
export function insertReserved(tx: pg.PoolClient, reserved: readonly Reservation[]): void {
  enqueue(tx, { name: 'insert-reserved', text: INSERT, values: ROW.values(reserved) });
}
