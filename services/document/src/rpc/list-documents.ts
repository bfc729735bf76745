import type { SubmissionId } from '@supplier/lib/ids';
import { requestedId } from '@supplier/lib/refusal';
import { callerOf } from '@supplier/lib/rpc-server';
import type { Rpcs, ServiceContext } from '../context.ts';
import { appendAudit } from '../db/audit.ts';
import { findDocumentsOf } from '../db/find-document.ts';
import { documentRecord } from '../messages/document-record.ts';

/** More than a submission can come to, deleted ones aside. */
const LIMIT = 500;

/**
 * The documents of a submission, oldest first, deleted ones included; none for a submission that has none, whether it
 * exists or not. What is shown is audited before it is. Implements docs/contract.md, section 10.
 */
export function listDocuments({ db, clock, ring }: ServiceContext): Rpcs['listDocuments'] {
  return async (request, call) => {
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const documents = await findDocumentsOf(db, submissionId, LIMIT);
    const [first] = documents;
    if (!first) return { documents: [] };
    const documentIds = documents.map(({ documentId }) => documentId);
    const actor = callerOf(call).subject;
    const { accountId } = first;
    const details = { submissionId, documentIds };
    await appendAudit(db, [{ at: clock.now(), actor, action: call.method.name, accountId, details }]);
    return { documents: documents.map((document) => documentRecord(ring, document)) };
  };
}
