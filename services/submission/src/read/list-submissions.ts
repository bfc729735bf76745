import type { Timestamp } from '@bufbuild/protobuf/wkt';
import type { KeyRing } from '@supplier/lib/data/crypto';
import { requestedPage } from '@supplier/lib/rpc/page-token';
import { invalid, requestedId } from '@supplier/lib/rpc/refusal';
import { type AccountId, hasFormOfUuid, parseId, type SubmissionId } from '@supplier/lib/text/ids';
import { toDate, toTimestamp } from '@supplier/lib/text/time';
import { Status } from '@supplier/proto/common/v1/status';
import {
  type ListSubmissionsRequest,
  ListSubmissionsRequestSchema,
} from '@supplier/proto/submission/v1/list_submissions';
import { Queue } from '@supplier/proto/submission/v1/queues';
import type { Context, Rpcs } from '../context.ts';
import { contactChecksOf } from '../model/contact-checks.ts';
import { businessFiguresOf } from '../store/submission-row.ts';
import {
  type ListedRow,
  listSubmissions as listMatching,
  type SubmissionFilter,
} from './list-submissions.sql.ts';

/** From year 1 to year 9999, the range of timestamps in the contract. */
const SECONDS = { least: -62_135_596_800n, most: 253_402_300_799n };

/**
 * Lists submissions without data that identifies the applicant, newest or oldest first, in pages. Pages are short when
 * few match (see the proto). VALIDATION_ERROR for filters that cannot be combined, and for a page token of another query. Implements
 * docs/contract.md, section 11.
 */
export function listSubmissions({
  pool,
  keyRing,
}: Pick<Context, 'pool' | 'keyRing'>): Rpcs['listSubmissions'] {
  return async (request) => {
    const page = requestedPage(ListSubmissionsRequestSchema, request, parseId<SubmissionId>);
    const { rows, next } = await listMatching(pool, requestedFilter(request), page.after, page.size);
    return { submissions: rows.map((row) => listed(keyRing, row)), nextPageToken: page.tokenAfter(next) };
  };
}

function requestedFilter(request: ListSubmissionsRequest): SubmissionFilter {
  const { referencePrefix, accountId, environment, requestId } = request;
  if (requestId !== undefined && !hasFormOfUuid(requestId)) throw invalid('request_id', 'must be a UUID');
  const receivedSince = requestedTime('received_since', request.receivedSince);
  const receivedUntil = requestedTime('received_until', request.receivedUntil);
  if (receivedSince && receivedUntil && receivedUntil <= receivedSince)
    throw invalid('received_until', 'must be later than received_since');
  return {
    accountId: accountId === undefined ? undefined : requestedId<AccountId>('account_id', accountId),
    environment: environment || undefined,
    statuses: request.statuses.map((status, index) => {
      if (!(status in Status) || status === Status.UNSPECIFIED)
        throw invalid(`statuses.${index}`, 'must be a status');
      return status;
    }),
    level: request.level || undefined,
    receivedSince,
    receivedUntil,
    referencePrefix,
    applicationReference: request.applicationReference,
    requestId,
    billingStatus: request.billingStatus || undefined,
    queues: request.queues.map((queue, index) => {
      if (!(queue in Queue) || queue === Queue.UNSPECIFIED)
        throw invalid(`queues.${index}`, 'must be a queue');
      return queue;
    }),
    oldestFirst: request.oldestFirst,
  };
}

function requestedTime(path: string, time: Timestamp | undefined): Date | undefined {
  if (!time) return undefined;
  const { seconds, nanos } = time;
  if (seconds < SECONDS.least || seconds > SECONDS.most || nanos < 0 || nanos > 999_999_999)
    throw invalid(path, 'must be a time from year 1 to year 9999');
  return toDate(time);
}

function listed(keyRing: KeyRing, row: ListedRow) {
  return {
    submissionId: row.id,
    accountId: row.account_id,
    environment: row.environment,
    externalReference: row.external_reference,
    level: row.level,
    status: row.status,
    receivedAt: toTimestamp(row.received_at),
    ...(row.decided_at ? { decidedAt: toTimestamp(row.decided_at) } : {}),
    billingStatus: row.billing_status,
    applicationReference: row.application_reference ?? '',
    waitsForStaff: row.waits_for_staff,
    parked: row.is_parked,
    requestId: row.request_id ?? '',
    checkContact: contactChecksOf(row.contact_checks),
    ...businessFiguresOf(keyRing, row),
    duplicateOf: row.duplicate_of ?? '',
    duplicateAccountId: row.duplicate_account_id ?? '',
    duplicateReference: row.duplicate_reference ?? '',
  };
}
