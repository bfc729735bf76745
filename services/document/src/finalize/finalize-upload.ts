import { invalid, requestedId } from '@supplier/lib/rpc/refusal';
import { requirePrincipal } from '@supplier/lib/rpc/rpc-server';
import type { DocumentId } from '@supplier/lib/text/ids';
import type { Context, Rpcs } from '../context.ts';
import { contentTypeOf } from '../model/content-types.ts';
import { environmentNameOf } from '../model/enum-mapping.ts';
import { abandonedSince } from '../model/limits.ts';
import { copyRemovalDue, newObjectKey } from '../model/stored-object.ts';
import { ObjectChanged, type StoredObject } from '../object-store/object-store.ts';
import { notFound, onStore } from '../refusals.ts';
import { inTransaction } from '../store/database.ts';
import { type DocumentRow, documentMessage, findDocumentOf } from '../store/document-rows.ts';
import { scheduleCopyRemoval } from '../store/object-removal.sql.ts';
import { type Finalization, saveFinalized } from './save-finalized.sql.ts';

/**
 * Confirms that the bytes of a document have arrived, makes a copy that the supplier cannot reach, and attaches the
 * document to its submission; repeating it returns the current scan status. NOT_FOUND for an unknown submission or
 * document, and for another supplier's; VALIDATION_ERROR at `document_id` for an upload that is missing or differs from
 * its reservation; SERVICE_UNAVAILABLE while the store or the submission service is. Repeating after a crash is safe:
 * every attempt copies to a new key, whose removal is scheduled first. Implements docs/contract.md, section 2.
 */
export function finalizeUpload(context: Context): Rpcs['finalizeUpload'] {
  const { db, clock, limits } = context;
  return async (request, call) => {
    const principal = requirePrincipal(call);
    const documentId = requestedId<DocumentId>('document_id', request.documentId);
    const tenant = {
      accountId: principal.accountId,
      environment: environmentNameOf(principal.environment),
    };
    const { externalReference } = request;
    const find = async (): Promise<DocumentRow | undefined> => {
      const found = await findDocumentOf(db, tenant, documentId);
      return found?.externalReference === externalReference ? found : undefined;
    };

    const document = await find();
    if (document?.state === 'finalized') return documentMessage(document);
    if (document?.state !== 'awaiting_upload') throw notFound();
    if (document.createdAt <= abandonedSince(limits, clock.now())) throw notFound();
    const submissionId = await context.findSubmission({ ...tenant, externalReference });
    if (!submissionId) throw notFound();

    const held = await makeHeldCopy(context, document);
    const saved =
      held !== 'moved_on' &&
      (await inTransaction(db, (tx) => {
        const at = clock.now();
        const finalization = { submissionId, held, at, abandonedSince: abandonedSince(limits, at) };
        return saveFinalized(tx, document, finalization);
      }));
    if (saved) return documentMessage({ ...document, scanStatus: 'pending_scan' });
    const current = await find();
    if (current?.state !== 'finalized') throw notFound();
    return documentMessage(current);
  };
}

/** Maximum number of copies when the upload keeps being replaced. */
const MAX_COPIES = 3;

/**
 * Copies the current upload: if another upload replaces the file meanwhile, either is valid. Returns `moved_on` once
 * the document no longer awaits its upload.
 */
async function makeHeldCopy(
  context: Context,
  document: DocumentRow,
): Promise<Finalization['held'] | 'moved_on'> {
  for (let copy = 1; copy <= MAX_COPIES; copy += 1) {
    const held = await copyUpload(context, document);
    if (held) return held;
  }
  throw invalid('document_id', 'is a document whose file was being uploaded again');
}

/** Resolves to undefined when the upload was replaced meanwhile. */
async function copyUpload(
  { pool, clock, store }: Context,
  document: DocumentRow,
): Promise<Finalization['held'] | 'moved_on' | undefined> {
  const { documentId, objectKey } = document;
  const uploaded = await onStore(() => store.stat('incoming', objectKey));
  if (!uploaded) throw invalid('document_id', 'is a document whose file has not been uploaded');
  // The object stays until another upload replaces it or the upload period ends, when legal holds are checked.
  if (!matchesRequest(uploaded, document))
    throw invalid('document_id', 'is a document whose file differs from the requested size or type');
  const now = clock.now();
  const removal = {
    documentId,
    area: 'held',
    objectKey: newObjectKey(),
    dueAt: copyRemovalDue(now),
  } as const;
  if (!(await scheduleCopyRemoval(pool, removal, { state: 'awaiting_upload' }, now))) return 'moved_on';
  const from = { area: 'incoming', key: objectKey, etag: uploaded.etag } as const;
  try {
    const etag = await onStore(() => store.copy(from, { area: 'held', key: removal.objectKey }));
    return { removal, etag };
  } catch (error) {
    if (!(error instanceof ObjectChanged)) throw error;
    return undefined;
  }
}

function matchesRequest(uploaded: StoredObject, { byteSize, contentType }: DocumentRow): boolean {
  return BigInt(uploaded.byteSize) === byteSize && contentTypeOf(uploaded.contentType) === contentType;
}
