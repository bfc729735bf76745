import type { MessageInitShape } from '@bufbuild/protobuf';
import { auditCall } from '@supplier/lib/governance/audit';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, type DocumentId, parseId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { Environment } from '@supplier/proto/common/v1/status';
import {
  ListWaitingDocumentsRequestSchema,
  type WaitingDocumentSchema,
  WaitingFor,
} from '@supplier/proto/document/v1/document';
import type { Context, Rpcs } from '../context.ts';
import { categoryOf, environmentNameOf, environmentOf } from '../model/enum-mapping.ts';
import { notFound } from '../refusals.ts';
import { inTransaction } from '../store/database.ts';
import { findDocument, unnamedRecord } from '../store/document-rows.ts';
import { lockDocument } from '../store/locks.sql.ts';
import {
  listWaitingDocuments as listWaiting,
  type WaitingFilter,
  type WaitingPosition,
  type WaitingRow,
} from './list-waiting-documents.sql.ts';
import { queueRescan } from './scan-queue.sql.ts';

/**
 * Queues a document that was scanned, or that is parked after failed scans, for another scan; until then it is
 * pending_scan and cannot be downloaded. WRONG_STATE while a scan is already queued, before the document is finalized
 * and after it is deleted. Audited. The response omits the filename, because the request gives no purpose for reading
 * it.
 */
export function rescanDocument({ db, clock }: Context): Rpcs['rescanDocument'] {
  return async (request, call) => {
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const document = await inTransaction(db, async (tx) => {
      const before = await lockDocument(tx, documentId);
      if (!before) throw notFound();
      const at = clock.now();
      if (!(await queueRescan(tx, documentId)))
        throw refuse(RefusalCode.WRONG_STATE, 'Only scanned or parked documents can be scanned again.');
      const { accountId, scanStatus } = before;
      const after = { documentId };
      await auditCall(tx, call, { at, target: documentId, accountId, before: { scanStatus }, after });
      return findDocument(tx, documentId);
    });
    if (!document) throw notFound();
    return unnamedRecord(document);
  };
}

/** Whether documents awaiting that party are parked; undefined matches both. */
const PARKED: Readonly<Record<WaitingFor, WaitingFilter['parked']>> = {
  [WaitingFor.UNSPECIFIED]: undefined,
  [WaitingFor.SCAN]: false,
  [WaitingFor.STAFF]: true,
};

/**
 * Lists documents awaiting their scan or, once parked, staff action, first finalized first, page by page. Omits
 * filenames, so it is not audited. VALIDATION_ERROR for a page token of another query. Implements docs/contract.md,
 * section 11.
 */
export function listWaitingDocuments({
  pool,
  clock,
}: Pick<Context, 'pool' | 'clock'>): Rpcs['listWaitingDocuments'] {
  return async (request) => {
    const page = requestedPage(ListWaitingDocumentsRequestSchema, request, readPosition);
    const { accountId, environment, waitingFor } = request;
    const filter = {
      accountId: accountId === undefined ? undefined : requestedId<AccountId>('account_id', accountId),
      environment: environment === Environment.UNSPECIFIED ? undefined : environmentNameOf(environment),
      parked: PARKED[waitingFor],
    };
    const { rows, next } = await listWaiting(pool, filter, page.after, page.size);
    const now = clock.now();
    return {
      documents: rows.map((row) => waitingDocument(row, now)),
      nextPageToken: page.tokenAfter(next && `${next.finalizedAt.getTime()}.${next.documentId}`),
    };
  };
}

function readPosition(text: string): WaitingPosition | undefined {
  const [, ms = '', id = ''] = /^(\d{1,14})\.([\w-]{36})$/.exec(text) ?? [];
  const documentId = parseId<DocumentId>(id);
  return documentId && { finalizedAt: new Date(Number(ms)), documentId };
}

function waitingDocument(row: WaitingRow, now: Date): MessageInitShape<typeof WaitingDocumentSchema> {
  return {
    documentId: row.id,
    accountId: row.account_id,
    environment: environmentOf(row.environment),
    externalReference: row.external_reference,
    submissionId: row.submission_id ?? '',
    category: categoryOf(row.category),
    contentType: row.content_type,
    byteSize: BigInt(row.byte_size),
    waitingFor: row.scan_parked_at ? WaitingFor.STAFF : WaitingFor.SCAN,
    finalizedAt: toTimestamp(row.finalized_at),
    ageSeconds: BigInt(Math.max(0, Math.floor((now.getTime() - row.finalized_at.getTime()) / 1_000))),
    scanAttempts: row.scan_attempt,
    ...(row.scan_parked_at ? { scanParkedAt: toTimestamp(row.scan_parked_at) } : {}),
  };
}
