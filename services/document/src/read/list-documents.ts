import { appendAudit, auditEntry, purposeOf, refuseUnlessMasked } from '@supplier/lib/governance/audit';
import { requestedId } from '@supplier/lib/rpc/refusal';
import type { SubmissionId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { documentRecord, unnamedRecord } from '../store/document-message.ts';
import { findDocumentsOf } from '../store/document-rows.ts';

/** More than the quota of a reference; deleted documents beyond it are not listed. */
const MAX_DOCUMENTS = 500;

/**
 * The documents of a submission, oldest first, deleted ones included; none for an unknown submission. Audited with its
 * purpose before it answers; without the names of files where it is asked for masked, which is all that a viewer may ask
 * for. Implements docs/contract.md, section 10.
 */
export function listDocuments({ db, clock, keyRing }: Context): Rpcs['listDocuments'] {
  return async (request, call) => {
    const purpose = purposeOf(request);
    refuseUnlessMasked(request, call);
    const { masked } = request;
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const documents = await findDocumentsOf(db, submissionId, MAX_DOCUMENTS);
    const [first] = documents;
    if (!first) return { documents: [] };
    const documentIds = documents.map(({ documentId }) => documentId);
    const { accountId } = first;
    const after = { submissionId, documentIds, masked };
    await appendAudit(
      db,
      auditEntry(call, { at: clock.now(), target: submissionId, accountId, after, purpose }),
    );
    return {
      documents: documents.map((document) =>
        masked ? unnamedRecord(document) : documentRecord(keyRing, document),
      ),
    };
  };
}
