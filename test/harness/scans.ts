import type { DocumentRecord } from '@supplier/proto/document/v1/document';
import { request } from 'undici';
import { staff } from './rpc.ts';
import type { SupplierApi } from './suppliers.ts';
import { documentOf, finalize, put, type RequestedUpload, requestSubmissionUpload } from './uploads.ts';
import { NotYet, waitFor } from './wait.ts';

const SCANNED_WITHIN_MS = 120_000;

/**
 * The EICAR test file, which every scanner reports as malware and which is harmless. Assembled here, so that scanners
 * don't flag a file of this repository.
 */
export const EICAR = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', 'STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('-'),
);

/** Returns a PDF without pages, with `more` between its header and its trailer. */
export const pdf = (more: Uint8Array = Buffer.alloc(0)): Buffer<ArrayBuffer> =>
  Buffer.concat([
    Buffer.from('%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\n'),
    more,
    Buffer.from('\ntrailer\n<< /Root 1 0 R >>\nstartxref\n0\n%%EOF\n'),
  ]);

/** Uploads and finalizes a document with the given bytes for a submission. */
export async function sent(
  api: SupplierApi,
  bytes: Buffer<ArrayBuffer>,
  contentType = 'application/pdf',
): Promise<RequestedUpload & { readonly submissionId: string }> {
  const requestUpload = await requestSubmissionUpload(api, {
    content_type: contentType,
    byte_size: bytes.length,
  });
  const { status, text } = await put(requestUpload, { bytes });
  if (status !== 200) throw new Error(`the upload returned ${status}: ${text}`);
  documentOf(await finalize(api, requestUpload));
  return requestUpload;
}

/** Returns the scan status that the supplier sees, once there is a result. */
export const scanStatus = (api: SupplierApi, document: RequestedUpload): Promise<string> =>
  waitFor(
    'the scan to finish',
    async () => {
      const { scan_status } = documentOf(await finalize(api, document));
      if (scan_status === 'pending_scan') throw new NotYet(scan_status);
      return scan_status;
    },
    { withinMs: SCANNED_WITHIN_MS },
  );

/** Returns the staff view of a submission's only document. */
export async function recordOf({ submissionId }: { readonly submissionId: string }): Promise<DocumentRecord> {
  const { documents } = await staff.document().listDocuments({ purpose: 'read by a test', submissionId });
  const [record] = documents;
  if (!record || documents.length > 1) throw new Error(`the submission has ${documents.length} documents`);
  return record;
}

/** Downloads a clean document as staff. */
export async function downloaded({ documentId }: Pick<RequestedUpload, 'documentId'>): Promise<Buffer> {
  const { url } = await staff.document().downloadDocument({ purpose: 'read by a test', documentId });
  const { statusCode, body } = await request(url);
  if (statusCode !== 200) throw new Error(`the download returned ${statusCode}: ${await body.text()}`);
  return Buffer.from(await body.arrayBuffer());
}
