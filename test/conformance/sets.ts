/**
 * Translates between single calls, as the suite makes and answers them, and sets of one call (`CallTogether`), so that
 * its cases also test how our services call each other.
 */
import http, { type IncomingMessage, type OutgoingHttpHeaders, type RequestListener } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { EnvelopeReader, inEnvelope } from '@supplier/lib/rpc/envelopes';
import {
  type AnswerSchema,
  CallTogetherRequestSchema,
  CallTogetherResponseSchema,
} from '@supplier/proto/calls/v1/calls';

const EXCHANGE = '/supplier.calls.v1.CallsService/CallTogether';
const UNARY = { 'content-type': 'application/proto', 'connect-protocol-version': '1' };
const STREAM = { ...UNARY, 'content-type': 'application/connect+proto' };
const MAX_BYTES = 8 * 1024 * 1024;
/** Headers of a connection or of the set, not of its calls. */
const NOT_OF_A_CALL =
  /^(?:host|connection|keep-alive|date|transfer-encoding|content-length|content-type|authorization|set-cookie)$/;

const messagesIn = (bytes: Buffer) => [...new EnvelopeReader(MAX_BYTES).read(bytes)];

function ofTheCall(headers: http.IncomingHttpHeaders): Record<string, string> {
  const entries = Object.entries(headers).filter(([name]) => !NOT_OF_A_CALL.test(name));
  return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]));
}

/** Posts a body; `gone` aborts the request. */
function post(
  origin: string,
  path: string,
  headers: OutgoingHttpHeaders,
  body: Uint8Array,
  gone: AbortSignal,
) {
  return new Promise<IncomingMessage>((resolve, reject) => {
    const request = http.request(`${origin}${path}`, { method: 'POST', headers, signal: gone }, resolve);
    request.on('error', reject);
    request.end(body);
  });
}

/** Answers requests asynchronously, and breaks the connection of one that fails. */
const listener =
  (answer: (...parts: [...Parameters<RequestListener>, AbortSignal]) => Promise<void>): RequestListener =>
  (request, response) => {
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    answer(request, response, gone.signal).catch(() => response.destroy());
  };

/** Sends each unary call that arrives at a server to the same server again, in a set. */
export const intoSets = (handler: RequestListener): RequestListener => {
  const inSet = listener(async (request, response, gone) => {
    const { url = '', headers, socket } = request;
    const call = { rpc: url.slice(1), headers: ofTheCall(headers), message: await buffer(request) };
    const set = create(CallTogetherRequestSchema, { calls: [call] });
    const origin = `http://127.0.0.1:${socket.localPort}`;
    const body = inEnvelope(toBinary(CallTogetherRequestSchema, set));
    const answer = await post(origin, EXCHANGE, STREAM, body, gone);
    const [first] = messagesIn(await buffer(answer));
    const [given] =
      first && !first.isEnd ? fromBinary(CallTogetherResponseSchema, first.message).answers : [];
    if (!given) throw new Error(`the set has no answer: ${first?.message}`);
    const type = given.status === 200 ? 'application/proto' : 'application/json';
    const cookies = given.setCookies.length > 0 ? { 'set-cookie': given.setCookies } : {};
    response.writeHead(given.status, { ...given.headers, ...cookies, 'content-type': type });
    response.end(given.body);
  });
  return (request, response) => {
    const { method, headers } = request;
    const isPlain = method === 'POST' && headers['content-encoding'] === undefined;
    if (isPlain && headers['content-type'] === UNARY['content-type']) inSet(request, response);
    else handler(request, response);
  };
};

/** Starts a server that makes the calls of a set, one by one, at `origin`. Resolves to its own origin. */
export async function outOfSets(origin: string): Promise<string> {
  const server = http.createServer(
    listener(async (request, response, gone) => {
      const [only] = messagesIn(await buffer(request));
      const { calls } = fromBinary(CallTogetherRequestSchema, only?.message ?? new Uint8Array());
      response.writeHead(200, STREAM);
      const one = async ({ rpc, headers, message }: (typeof calls)[number], place: number) => {
        const answer = await post(origin, `/${rpc}`, { ...headers, ...UNARY }, message, gone);
        const given: MessageInitShape<typeof AnswerSchema> = {
          call: place,
          status: answer.statusCode ?? 0,
          headers: ofTheCall(answer.headers),
          setCookies: answer.headers['set-cookie'] ?? [],
          body: await buffer(answer),
        };
        const part = create(CallTogetherResponseSchema, { answers: [given] });
        response.write(inEnvelope(toBinary(CallTogetherResponseSchema, part)));
      };
      await Promise.all(calls.map(one));
      response.end(inEnvelope(Buffer.from('{}'), true));
    }),
  );
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}
