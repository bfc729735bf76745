import { type Dispatcher, request } from 'undici';

const ANSWER_MS = 30_000;

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** The public API with a supplier's credential. */
export type SupplierClient = ReturnType<typeof supplierClient>;

/** Opens the public API. `dispatcher` provides connections; the process's by default. */
export function supplierClient(baseUrl: string, credential: string, dispatcher?: Dispatcher) {
  const headers = { authorization: `Bearer ${credential}`, 'content-type': 'application/json' };
  const url = `${baseUrl}/v1/supplier-submissions`;
  const call = async (method: 'GET' | 'POST', target: string, body?: unknown): Promise<Answer> => {
    const { statusCode, body: answer } = await request(target, {
      method,
      headers,
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
      ...(dispatcher ? { dispatcher } : {}),
    });
    return { status: statusCode, text: await answer.text() };
  };
  return {
    create: (body: unknown) => call('POST', url, body),
    read: (submissionId: string) => call('GET', `${url}/${submissionId}`),
    uploadUrl: (body: unknown) => call('POST', `${url}/documents/upload-url`, body),
    async put(target: string, contentType: string, bytes: Uint8Array): Promise<Answer> {
      const { statusCode, body: answer } = await request(target, {
        method: 'PUT',
        headers: { 'content-type': contentType },
        body: bytes,
        signal: AbortSignal.timeout(ANSWER_MS),
      });
      return { status: statusCode, text: await answer.text() };
    },
    finalize: (body: unknown) => call('POST', `${url}/documents/finalize`, body),
  };
}
