import { appendAudit, auditEntry, purposeOf } from '@supplier/lib/governance/audit';
import { RefusalCode, refuse, requestedId } from '@supplier/lib/rpc/refusal';
import type { DocumentId } from '@supplier/lib/text/ids';
import { toTimestamp } from '@supplier/lib/text/time';
import type { Context, Rpcs } from '../context.ts';
import { contentTypeOf } from '../model/content-types.ts';
import { downloadName } from '../model/download-name.ts';
import { notFound, onStore } from '../refusals.ts';
import { filenameOf } from '../store/document-message.ts';
import { findDocument } from '../store/document-rows.ts';

const URL_MS = 5 * 60_000;

/**
 * Answers with a URL that a clean document can be downloaded from for five minutes, and audits it first, with its purpose. The file gets
 * the extension of its type, and in place of its name the document's id where a URL would show the name. WRONG_STATE for
 * a document that is not clean, or is deleted. Implements docs/contract.md, section 10.
 */
export function downloadDocument({ db, clock, keyRing, store }: Context): Rpcs['downloadDocument'] {
  return async (request, call) => {
    const purpose = purposeOf(request);
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const document = await findDocument(db, documentId);
    if (!document) throw notFound();
    const { state, scanStatus, held, accountId } = document;
    const contentType = contentTypeOf(document.contentType);
    if (state !== 'finalized' || scanStatus !== 'clean' || held?.area !== 'clean' || !contentType)
      throw refuse(RefusalCode.WRONG_STATE, 'Only a document that was found clean can be downloaded.');

    const at = clock.now();
    const expiresAt = new Date(at.getTime() + URL_MS);
    const name = store.showsNames ? documentId : filenameOf(keyRing, document);
    const filename = downloadName(name, contentType);
    const download = { key: held.key, filename, contentType, expiresAt };
    const url = await onStore(() => store.downloadUrl(download));
    await appendAudit(
      db,
      auditEntry(call, { at, target: documentId, accountId, after: { documentId }, purpose }),
    );
    return { url, expiresAt: toTimestamp(expiresAt) };
  };
}
