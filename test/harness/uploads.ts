import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { request } from 'undici';
import { type Body, enquiry, upload } from './enquiries.ts';
import type { Answer } from './http.ts';
import { FINALIZE_PATH, UPLOAD_URL_PATH } from './http.ts';
import { asDocument, asUpload } from './schemas.ts';
import { created, type SupplierApi } from './suppliers.ts';

/** An announced document, and the terms of its upload URL. */
export interface RequestedUpload {
  readonly reference: string;
  readonly documentId: string;
  readonly url: string;
  readonly byteSize: number;
  readonly contentType: string;
}

/** The store's response to a client with an upload URL. */
export interface StoreAnswer {
  readonly status: number;
  readonly text: string;
}

/** Requests an upload URL, which must be granted. */
export async function requestUpload(api: SupplierApi, changes: Body = {}): Promise<RequestedUpload> {
  const body = upload(changes);
  const answer = await api.call({ method: 'POST', path: UPLOAD_URL_PATH, body });
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  const { document_id: documentId, upload_url: url } = asUpload(answer.json);
  return {
    reference: String(body.external_reference),
    documentId,
    url,
    byteSize: Number(body.byte_size),
    contentType: String(body.content_type),
  };
}

/** Creates a submission and announces a document for it. */
export async function requestSubmissionUpload(
  api: SupplierApi,
  changes: Body = {},
): Promise<RequestedUpload & { readonly submissionId: string }> {
  const { submission_id: submissionId, external_reference } = await created(api, enquiry());
  return { ...(await requestUpload(api, { external_reference, ...changes })), submissionId };
}

/** Uploads bytes to a URL, by default with the terms it was issued for. */
export async function put(
  { url, byteSize, contentType }: Pick<RequestedUpload, 'url' | 'byteSize' | 'contentType'>,
  { bytes = randomBytes(byteSize), headers = {}, method = 'PUT' as 'PUT' | 'POST' | 'GET' } = {},
): Promise<StoreAnswer> {
  const body = method === 'GET' ? null : bytes;
  const sent = { 'content-type': contentType, ...headers };
  const response = await request(url, { method, headers: sent, body });
  return { status: response.statusCode, text: await response.body.text() };
}

/** Starts an upload and closes the connection after half the bytes. */
export async function putHalf({ url, byteSize, contentType }: RequestedUpload): Promise<void> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const lines = [
    `PUT ${pathname}${search} HTTP/1.1`,
    `host: ${host}`,
    `content-type: ${contentType}`,
    `content-length: ${byteSize}`,
  ];
  const socket = connect({ host: hostname, port: Number(port) });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    socket.write(randomBytes(Math.floor(byteSize / 2)), (error) => (error ? reject(error) : resolve()));
  });
  socket.resetAndDestroy();
}

/** Finalizes an upload and returns the response, with any status. */
export const finalize = (
  api: SupplierApi,
  { reference, documentId }: Pick<RequestedUpload, 'reference' | 'documentId'>,
): Promise<Answer> =>
  api.call({
    method: 'POST',
    path: FINALIZE_PATH,
    body: { external_reference: reference, document_id: documentId },
  });

/** Returns the document of a 200 response; for any other status, throws with the whole response. */
export function documentOf(answer: Answer): ReturnType<typeof asDocument> {
  if (answer.status !== 200) throw new Error(`expected 200, got ${answer.status}: ${answer.text}`);
  return asDocument(answer.json);
}

/** Creates, uploads and finalizes a document of a submission. */
export async function finalized(
  api: SupplierApi,
  changes: Body = {},
): Promise<RequestedUpload & { readonly submissionId: string }> {
  const document = await requestSubmissionUpload(api, changes);
  const { status, text } = await put(document);
  if (status !== 200) throw new Error(`the upload returned ${status}: ${text}`);
  documentOf(await finalize(api, document));
  return document;
}
