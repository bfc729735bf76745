import type { IncomingMessage, ServerResponse } from 'node:http';
import { Code, ConnectError } from '@connectrpc/connect';

export interface UnaryAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Additional headers from a handler or an error. */
  readonly headers: Headers | undefined;
}

/** Reads a body of at most `maxBytes`, else RESOURCE_EXHAUSTED. Stays pending if the client leaves. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const tooLarge = (size: string) => {
      request.off('data', onData);
      const message = `message size ${size}is larger than configured readMaxBytes ${maxBytes}`;
      reject(new ConnectError(message, Code.ResourceExhausted));
    };
    const onData = (chunk: Buffer) => {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) return tooLarge('');
      chunks.push(chunk);
    };
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > maxBytes) return tooLarge(`${declared} `);
    request.on('data', onData);
    request.on('end', () => {
      const [only] = chunks;
      const body = chunks.length === 1 && only ? only : Buffer.concat(chunks);
      resolve(new Uint8Array(body.buffer, body.byteOffset, body.byteLength));
    });
  });
}

/** Writes an answer in one go. Does nothing if the client has disconnected. */
export function send(response: ServerResponse, answer: UnaryAnswer): void {
  if (response.destroyed) return;
  const { status, contentType, body, headers } = answer;
  headers?.forEach((value, name) => {
    // The only header whose values must not be joined.
    if (name === 'set-cookie') response.appendHeader(name, value);
    else response.setHeader(name, value);
  });
  // Keep-alive is the default: stating it would be one more header for every client to parse.
  if (!response.hasHeader('connection')) response.removeHeader('connection');
  response.sendDate = false;
  response.writeHead(status, { 'content-type': contentType, 'content-length': body.byteLength });
  response.end(body);
}
