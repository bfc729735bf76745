import { invalid, RefusalCode, refuse } from '@supplier/lib/rpc/refusal';
import { requirePrincipal } from '@supplier/lib/rpc/rpc-server';
import { type DocumentId, newId } from '@supplier/lib/text/ids';
import type { CreateUploadRequest } from '@supplier/proto/document/v1/document';
import type { Context, Rpcs } from '../context.ts';
import { type ContentType, contentTypeOf } from '../model/content-types.ts';
import { type CategoryName, categoryNameOf, environmentNameOf } from '../model/enum-mapping.ts';
import { type DocumentLimits, uploadExpiry } from '../model/limits.ts';
import { newObjectKey } from '../model/stored-object.ts';
import { onStore } from '../refusals.ts';
import { filenameAad } from '../store/document-rows.ts';
import type { Reservation } from './reserve-documents.sql.ts';
import { reserveDocuments } from './reserve-documents.ts';

/**
 * Reserves a document and returns its upload URL; its submission need not exist yet. Throws VALIDATION_ERROR for an
 * invalid request, an erased reference or an exceeded quota (exact even with concurrent requests), and
 * PAYLOAD_TOO_LARGE with max_bytes. Stores nothing for a refused request. Implements docs/contract.md, sections 2 and
 * 9.
 */
export function createUpload({ pool, clock, keyRing, store, limits }: Context): Rpcs['createUpload'] {
  const reserve = reserveDocuments(pool, limits);
  return async (request, call) => {
    const { accountId, environment } = requirePrincipal(call);
    const { category, contentType } = accepted(request, limits);
    const { externalReference, filename, byteSize } = request;

    const createdAt = clock.now();
    const documentId = newId<DocumentId>();
    const document: Reservation = {
      documentId,
      accountId,
      environment: environmentNameOf(environment),
      externalReference,
      category,
      sealedFilename: keyRing.seal(Buffer.from(filename), filenameAad(documentId)),
      contentType,
      byteSize,
      objectKey: newObjectKey(),
      createdAt,
      uploadExpiresAt: uploadExpiry(limits, createdAt),
    };
    // Signs the content type as the supplier wrote it, since the store compares it exactly.
    const { objectKey: key, uploadExpiresAt: expiresAt } = document;
    const upload = { key, contentType: request.contentType, byteSize: Number(byteSize), expiresAt };
    const uploadUrl = await onStore(() => store.uploadUrl(upload));
    const outcome = await reserve(document);
    switch (outcome) {
      case 'reserved':
        return { documentId, uploadUrl };
      case 'erased':
        throw invalid('external_reference', 'must belong to a submission that has not been erased');
      case 'accountBytes':
        throw invalid('byte_size', 'exceeds the remaining document storage of the account');
      case 'perReference':
        throw invalid('external_reference', `has ${limits.perReference} documents, which is the limit`);
    }
  };
}

function accepted(
  request: CreateUploadRequest,
  limits: DocumentLimits,
): { category: CategoryName; contentType: ContentType } {
  const category = categoryNameOf(request.category);
  if (!category) throw invalid('category', 'is not a known value');
  const contentType = contentTypeOf(request.contentType);
  if (!contentType || !limits.contentTypes.includes(contentType))
    throw invalid('content_type', 'is not an accepted file type');
  if (request.byteSize > limits.maxBytes)
    throw refuse(RefusalCode.PAYLOAD_TOO_LARGE, 'The file is too large.', {
      maxBytes: BigInt(limits.maxBytes),
    });
  return { category, contentType };
}
