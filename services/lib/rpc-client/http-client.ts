import { Code, ConnectError } from '@connectrpc/connect';
import type { UniversalClientFn, UniversalClientRequest } from '@connectrpc/connect/protocol';
import { Pool } from 'undici';

const CONNECTIONS = 32;
const CONNECT_TIMEOUT_MS = 1_000;
/** Beyond the longest call; a call's own deadline comes first. */
const ANSWER_TIMEOUT_MS = 60_000;

/**
 * Sends Connect's requests through undici. Throws UNAVAILABLE, with the cause, when no answer came.
 */
export function undiciHttpClient(baseUrl: string): UniversalClientFn {
  const pool = new Pool(new URL(baseUrl).origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: ANSWER_TIMEOUT_MS,
    bodyTimeout: ANSWER_TIMEOUT_MS,
    keepAliveTimeout: 60_000,
  });

  async function send(request: UniversalClientRequest, body: Uint8Array) {
    try {
      return await pool.request({
        method: 'POST',
        path: new URL(request.url).pathname,
        headers: Object.fromEntries(request.header),
        body,
        ...(request.signal ? { signal: request.signal } : {}),
      });
    } catch (cause) {
      if (request.signal?.aborted) throw cause;
      throw new ConnectError(
        'the called service cannot be reached',
        Code.Unavailable,
        undefined,
        undefined,
        cause,
      );
    }
  }

  return async (request) => {
    const answer = await send(request, await readAll(request.body));
    const header = new Headers();
    for (const [name, value] of Object.entries(answer.headers)) {
      for (const one of Array.isArray(value) ? value : [value ?? '']) header.append(name, one);
    }
    return { status: answer.statusCode, header, body: answer.body, trailer: new Headers() };
  };
}

async function readAll(body: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body ?? []) chunks.push(chunk);
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
}
