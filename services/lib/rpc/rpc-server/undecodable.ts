import { text } from 'node:stream/consumers';
import { Code, type ConnectRouter } from '@connectrpc/connect';
import type { UniversalHandler } from '@connectrpc/connect/protocol';
import { codeToHttpStatus } from '@connectrpc/connect/protocol-connect';

import { decodedKey } from './interceptors.ts';

type Answer = Awaited<ReturnType<UniversalHandler>>;

/** How Connect reports bytes that are no message, as the server's fault. */
const BLAMED = 'parse binary: ';
const MESSAGE = 'the message cannot be decoded';
const STREAM = 'application/connect+';
const END_OF_STREAM = 2;
const ENVELOPE_BYTES = 5;

/**
 * Makes Connect's own handlers answer a message that can't be decoded with INVALID_ARGUMENT, because that is the
 * caller's error: in gRPC's trailers, and in the JSON of Connect's calls and streams.
 */
export function blameCallers({ handlers }: ConnectRouter): void {
  for (const [at, handler] of handlers.entries()) {
    const answering = async (request: Parameters<UniversalHandler>[0]) => {
      const answer = await handler(request);
      return request.contextValues?.get(decodedKey) ? answer : inFairness(answer);
    };
    handlers[at] = Object.assign(answering, { ...handler });
  }
}

async function inFairness(answer: Answer): Promise<Answer> {
  const { trailer, status, header, body } = answer;
  if (trailer?.get('grpc-status') === String(Code.Internal)) {
    if (!decodeURIComponent(trailer.get('grpc-message') ?? '').startsWith(BLAMED)) return answer;
    trailer.delete('grpc-status-details-bin');
    trailer.set('grpc-status', String(Code.InvalidArgument));
    trailer.set('grpc-message', MESSAGE);
    return answer;
  }
  if (!body) return answer;
  if (header?.get('content-type')?.startsWith(STREAM)) return { ...answer, body: withFairEnd(body) };
  if (status !== codeToHttpStatus(Code.Internal)) return answer;
  // An error is one small text.
  const json = await text(body);
  if (!json.includes(`"message":"${BLAMED}`)) return { ...answer, body: once(json) };
  const fair = JSON.stringify({ code: 'invalid_argument', message: MESSAGE });
  const headers = new Headers(header);
  headers.set('content-length', String(Buffer.byteLength(fair)));
  return { ...answer, status: codeToHttpStatus(Code.InvalidArgument), header: headers, body: once(fair) };
}

async function* once(json: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(json);
}

/** Only the first bytes of a stream can report that its request can't be decoded. */
async function* withFairEnd(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  let isFirst = true;
  for await (const bytes of body) {
    yield isFirst && bytes[0] === END_OF_STREAM ? fairEnd(Buffer.from(bytes)) : bytes;
    isFirst = false;
  }
}

function fairEnd(envelope: Buffer): Uint8Array {
  const end: { error?: { code: string; message?: string } } = JSON.parse(
    envelope.subarray(ENVELOPE_BYTES).toString(),
  );
  if (!end.error?.message?.startsWith(BLAMED)) return envelope;
  const json = Buffer.from(JSON.stringify({ ...end, error: { code: 'invalid_argument', message: MESSAGE } }));
  const head = Buffer.alloc(ENVELOPE_BYTES);
  head.writeUInt8(END_OF_STREAM);
  head.writeUInt32BE(json.length, 1);
  return Buffer.concat([head, json]);
}
