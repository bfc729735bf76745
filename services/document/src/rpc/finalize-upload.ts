import type { MessageInitShape } from '@bufbuild/protobuf';
import type { DocumentId } from '@supplier/lib/ids';
import { invalid, requestedId } from '@supplier/lib/refusal';
import { requirePrincipal } from '@supplier/lib/rpc-server';
import type { DocumentSchema } from '@supplier/proto/document/v1/document';
import type { Rpcs, ServiceContext } from '../context.ts';
import { inTransaction } from '../db/database.ts';
import type { DocumentRow } from '../db/document-row.ts';
import { findDocumentOf } from '../db/find-document.ts';
import { announceCopy } from '../db/object-removal.ts';
import { type Finalization, saveFinalized } from '../db/save-finalized.ts';
import { categoryOf } from '../domain/category.ts';
import { environmentNameOf } from '../domain/environment.ts';
import { abandonedSince } from '../domain/limits.ts';
import { newObjectKey } from '../domain/object-keys.ts';
import { copyRemovalDue } from '../domain/removal-times.ts';
import { scanStatusOf } from '../domain/scan-result.ts';
import { ObjectChanged, type StoredObject } from '../object-store/object-store.ts';
import { notFound } from './not-found.ts';
import { onStore } from './store-unavailable.ts';

/**
 * Confirms that the bytes of a document have arrived, takes a copy that the supplier cannot reach, and binds it to its
 * submission; repeated, answers with the present scan status. NOT_FOUND for an unknown submission or document, whoever's
 * it is; VALIDATION_ERROR at `document_id` for an upload that is missing or not as announced; SERVICE_UNAVAILABLE while
 * the store or the submission service is away. Repeating after a crash is harmless: every attempt copies to a key of its
 * own, whose removal is scheduled before. Implements docs/contract.md, section 2.
 */
export function finalizeUpload(context: ServiceContext): Rpcs['finalizeUpload'] {
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

    const held = await takeCopy(context, document);
    const first = await inTransaction(db, (tx) => {
      const at = clock.now();
      const finalization = { submissionId, held, at, abandonedSince: abandonedSince(limits, at) };
      return saveFinalized(tx, document, finalization);
    });
    if (first) return documentMessage({ ...document, scanStatus: 'pending_scan' });
    const present = await find();
    if (present?.state !== 'finalized') throw notFound();
    return documentMessage(present);
  };
}

async function takeCopy(
  { db, clock, store }: ServiceContext,
  document: DocumentRow,
): Promise<Finalization['held']> {
  const { objectKey } = document;
  const uploaded = await onStore(() => store.stat('incoming', objectKey));
  if (!uploaded) throw invalid('document_id', 'names a document whose file is not uploaded');
  if (!isAnnounced(uploaded, document)) {
    await onStore(() => store.remove('incoming', objectKey));
    throw invalid('document_id', 'names a document whose file is not of the announced size and type');
  }
  const removal = { area: 'held', objectKey: newObjectKey(), dueAt: copyRemovalDue(clock.now()) } as const;
  await announceCopy(db, removal);
  const from = { area: 'incoming', key: objectKey, etag: uploaded.etag } as const;
  try {
    const etag = await onStore(() => store.copy(from, { area: 'held', key: removal.objectKey }));
    return { removal, etag };
  } catch (error) {
    if (!(error instanceof ObjectChanged)) throw error;
    throw invalid('document_id', 'names a document whose file was being uploaded again');
  }
}

function isAnnounced(uploaded: StoredObject, { byteSize, contentType }: DocumentRow): boolean {
  return BigInt(uploaded.byteSize) === byteSize && uploaded.contentType === contentType;
}

function documentMessage(document: DocumentRow): MessageInitShape<typeof DocumentSchema> {
  return {
    documentId: document.documentId,
    category: categoryOf(document.category),
    scanStatus: scanStatusOf(document.scanStatus),
  };
}
