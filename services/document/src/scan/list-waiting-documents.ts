import type { MessageInitShape } from '@bufbuild/protobuf';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { requestedId } from '@supplier/lib/rpc/refusal';
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
import {
  listWaitingDocuments as listWaiting,
  type WaitingFilter,
  type WaitingPosition,
  type WaitingRow,
} from './list-waiting-documents.sql.ts';

/** What waits for whom; undefined: for either. */
const PARKED: Readonly<Record<WaitingFor, WaitingFilter['parked']>> = {
  [WaitingFor.UNSPECIFIED]: undefined,
  [WaitingFor.SCAN]: false,
  [WaitingFor.STAFF]: true,
};

/**
 * Documents that wait for their scan or, parked, for staff, those finalized first first, page by page, without their
 * names: nothing of it is audited. VALIDATION_ERROR for a page token of another query. Implements docs/contract.md,
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
