import type { Dispatcher } from 'undici';
import { parseJson, viewDocument } from '../demonstration/status-view.ts';
import type { BenchSupplier } from './bench-supplier.ts';

export const UPLOAD_TYPE = 'application/pdf';
const ANSWER_MS = 5_000;
/** Half of what one reference may have. */
const DOCUMENTS_PER_REFERENCE = 10;
/** Servers that the supplier calls from, in turn: what one address may send is far less than what is measured. */
const ADDRESSES = 8;

/**
 * Asks the gateway where a document of so many bytes may be sent. The indexes of one `series` share references, ten to
 * each. Throws for every answer but 200 with a URL.
 */
export async function askForUpload(
  { gateway, credential }: BenchSupplier,
  { dispatcher, series, index, bytes }: Question,
): Promise<string> {
  const answer = await dispatcher.request({
    origin: gateway,
    path: '/v1/supplier-submissions/documents/upload-url',
    method: 'POST',
    headers: {
      authorization: `Bearer ${credential}`,
      'content-type': 'application/json',
      'x-forwarded-for': `10.0.0.${1 + (index % ADDRESSES)}`,
    },
    body: JSON.stringify({
      external_reference: `${series}-${Math.floor(index / DOCUMENTS_PER_REFERENCE)}`,
      filename: 'statement.pdf',
      content_type: UPLOAD_TYPE,
      byte_size: bytes,
      category: 'bank_statements',
    }),
    signal: AbortSignal.timeout(ANSWER_MS),
  });
  const text = await answer.body.text();
  const { uploadUrl } = viewDocument(parseJson(text));
  if (answer.statusCode !== 200 || uploadUrl === undefined)
    throw new Error(`the gateway answered ${answer.statusCode} ${text}`);
  return uploadUrl;
}

export interface Question {
  readonly dispatcher: Dispatcher;
  readonly series: string;
  readonly index: number;
  readonly bytes: number;
}
