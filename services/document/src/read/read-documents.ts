import { auditCall, refuseUnlessMasked } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { DocumentId, SubmissionId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import { FAULTS, isFaultRule } from '../content/index.ts';
import type { Context, Rpcs } from '../context.ts';
import { contentTypeOf, downloadName } from '../model/content-types.ts';
import { notFound, onStore } from '../refusals.ts';
import {
  type DocumentRow,
  documentRecord,
  findDocument,
  findDocumentsOf,
  unnamedRecord,
} from '../store/document-rows.ts';

/** Above the quota of a reference; deleted documents beyond it are not listed. */
const MAX_DOCUMENTS = 500;

/**
 * Lists the documents of a submission, oldest first, including deleted ones; none for an unknown submission. Audited
 * with its purpose before it responds. Omits filenames in a masked request, the only kind that a viewer may make.
 * Implements docs/contract.md, section 10.
 */
export function listDocuments({ db, pool, clock, keyRing }: Context): Rpcs['listDocuments'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    refuseUnlessMasked(request, call);
    const { masked } = request;
    const submissionId = requestedId<SubmissionId>('submission_id', request.submissionId);
    const documents = await findDocumentsOf(db, submissionId, MAX_DOCUMENTS);
    const [first] = documents;
    if (!first) return { documents: [] };
    const documentIds = documents.map(({ documentId }) => documentId);
    const { accountId } = first;
    const after = { submissionId, documentIds, masked };
    await auditCall(pool, call, { at: clock.now(), target: submissionId, accountId, after, purpose });
    return {
      documents: documents.map((document) => ({
        ...(masked ? unnamedRecord(document) : documentRecord(keyRing, document)),
        ...faultOf(document),
      })),
    };
  };
}

/** Returns why the content check refused a document. Neither the rule nor the place identifies a person. */
function faultOf({ scanRule, scanPart }: DocumentRow) {
  if (scanRule === null) return {};
  const { problem, advice } = isFaultRule(scanRule) ? FAULTS[scanRule] : UNKNOWN_RULE;
  return { scanRule, scanPart: scanPart ?? '', scanProblem: problem, scanAdvice: advice };
}

/** For a rule of a later release. */
const UNKNOWN_RULE = { problem: '', advice: '' };

const URL_MS = 5 * 60_000;

/**
 * Returns a URL that downloads a clean document for five minutes, after auditing the request with its purpose. The file
 * is named after the document's id, because the URL reveals the name, with the extension of its type. WRONG_STATE for a
 * document that is not clean, or is deleted. Implements docs/contract.md, section 10.
 */
export function downloadDocument({ db, pool, clock, store }: Context): Rpcs['downloadDocument'] {
  return async (request, call) => {
    const purpose = request.purpose.trim();
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const document = await findDocument(db, documentId);
    if (!document) throw notFound();
    const { state, scanStatus, held, accountId, submissionId } = document;
    const contentType = contentTypeOf(document.contentType);
    if (state !== 'finalized' || scanStatus !== 'clean' || held?.area !== 'clean' || !contentType)
      throw refuse(RefusalCode.WRONG_STATE, 'Only clean documents can be downloaded.');

    const at = clock.now();
    const expiresAt = new Date(at.getTime() + URL_MS);
    const filename = downloadName(documentId, contentType);
    const download = { key: held.key, filename, contentType, expiresAt };
    const url = await onStore(() => store.downloadUrl(download));
    const target = submissionId ?? documentId;
    await auditCall(pool, call, { at, target, accountId, after: { documentId }, purpose });
    return { url, expiresAt: toTimestamp(expiresAt) };
  };
}
