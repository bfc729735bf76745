import { randomInt } from 'node:crypto';
import { Readable } from 'node:stream';
import { Agent } from 'undici';
import { type Answer, checkAnswer } from './promises.ts';

export type { Answer };

export interface Call {
  readonly method?: string;
  /** Path and query, sent verbatim. */
  readonly path: string;
  /** The bearer token; none when absent. */
  readonly credential?: string;
  /** Objects are sent as JSON, text and bytes verbatim. */
  readonly body?: string | Uint8Array | object;
  /** Added to the default headers; undefined removes one. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  /** Sends the body in chunks, without a `Content-Length`. */
  readonly chunked?: boolean;
}

export const CREATE_PATH = '/v1/supplier-submissions';
export const DELIVERY_PATH = '/v2/supplier-submissions';
export const UPLOAD_URL_PATH = `${CREATE_PATH}/documents/upload-url`;
export const FINALIZE_PATH = `${CREATE_PATH}/documents/finalize`;

const agent = new Agent({ connections: 256, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 });

/**
 * Sends one request to `origin` and checks the response against everything that the contract promises of every
 * response. Each call comes from a different address, so that tests don't share a rate limit. Throws on a broken
 * promise and when no response arrives within 60 s.
 */
export async function call(origin: string, request: Call): Promise<Answer> {
  const { method = 'GET', path, credential, body, chunked = false } = request;
  const headers: Record<string, string> = { 'x-forwarded-for': someAddress() };
  if (credential !== undefined) headers.authorization = `Bearer ${credential}`;
  if (body !== undefined) headers['content-type'] = 'application/json';
  for (const [name, value] of Object.entries(request.headers ?? {})) {
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  }
  const bytes = bytesOf(body);
  const response = await agent.request({
    origin,
    path,
    method: method as 'GET',
    headers,
    body: chunked && bytes ? Readable.from(inChunks(bytes)) : (bytes ?? null),
  });
  const text = await response.body.text();
  return checkAnswer(
    { method, path, headers },
    { status: response.statusCode, headers: response.headers, text },
  );
}

/** Returns a random private address for `X-Forwarded-For`. */
export const someAddress = (): string => `10.${randomInt(256)}.${randomInt(256)}.${randomInt(1, 255)}`;

function bytesOf(body: Call['body']): Uint8Array | undefined {
  if (body === undefined) return undefined;
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

async function* inChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  const size = 7000;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
