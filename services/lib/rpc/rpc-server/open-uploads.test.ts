import { once } from 'node:events';
import http from 'node:http';
import http2 from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import { GetSubmissionRequestSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';

const SERVICE = '/supplier.submission.v1.SubmissionService';
const PATH = `${SERVICE}/GetSubmission`;
const REFLECTION = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
const LARGE_BYTES = 3_000_000;
const CHUNK_BYTES = 50_000;
const WAIT_MS = 20_000;

let server: TestRpcServer<typeof SubmissionService>;
let operator: string;
let gateway: string;

beforeAll(async () => {
  server = await startTestRpcServer('submission', SubmissionService, (router) =>
    router.service(SubmissionService, {
      getSubmission: () => {
        throw new ConnectError('not now', Code.FailedPrecondition);
      },
    }),
  );
  operator = `Bearer ${await server.tokenOf('jo', 'staff:operator')}`;
  gateway = `Bearer ${await server.tokenOf('gw', 'service:submission')}`;
});
afterAll(() => server.close());

/** Returns a chunk of the upload: the head of a gRPC message of this length, then zeroes. */
function upload(declaredBytes: number): Buffer {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  chunk.writeUInt32BE(declaredBytes, 1);
  return chunk;
}

/** Calls refused while their upload is open: path, headers, and the expected answer. */
const REFUSALS: [string, string, Record<string, () => string>, RegExp][] = [
  ['without a token', PATH, {}, /unauthenticated|"16"/],
  ['with a malformed token', PATH, { authorization: () => 'Bearer x.y.z' }, /unauthenticated|"16"/],
  ['for another role', PATH, { authorization: () => gateway }, /permission_denied|"7"/],
  ['whose message is too large', PATH, { authorization: () => operator }, /resource_exhausted|"8"/],
  ['of an unknown method', `${SERVICE}/Nothing`, { authorization: () => operator }, /404/],
  ['of an unknown service', '/a.B/C', {}, /404/],
  [
    'with another content type',
    PATH,
    { authorization: () => operator, 'content-type': () => 'text/plain' },
    /415/,
  ],
  ['with a method that is not allowed', PATH, { ':method': () => 'PUT' }, /405/],
  [
    'with an unknown compression',
    PATH,
    { authorization: () => operator, 'content-encoding': () => 'x', 'grpc-encoding': () => 'x' },
    /unimplemented|"12"/,
  ],
  [
    'with a malformed deadline',
    PATH,
    { authorization: () => operator, 'connect-timeout-ms': () => 'x', 'grpc-timeout': () => 'x' },
    /invalid_argument|"3"/,
  ],
];
/** Every refusal in each of Connect's and gRPC's protocols, and two in the protocols that share their code. */
const TYPES = [
  ['application/proto', REFUSALS],
  ['application/grpc', REFUSALS],
  ['application/json', REFUSALS.slice(0, 2)],
  ['application/grpc-web', REFUSALS.slice(0, 2)],
] as const;
const EVERY = TYPES.flatMap(([type, refusals]) =>
  refusals.map(
    ([what, path, headers, answer]) => [`${what}, as ${type}`, type, path, headers, answer] as const,
  ),
);

function headersOf(type: string, given: Record<string, () => string>): Record<string, string> {
  const own = Object.entries(given).map(([name, value]) => [name, value()]);
  return { 'content-type': type, 'connect-protocol-version': '1', ...Object.fromEntries(own) };
}

describe('an HTTP/2 call refused during its upload', () => {
  let session: http2.ClientHttp2Session;
  beforeAll(async () => {
    session = http2.connect(server.h2cUrl);
    await once(session, 'connect');
  });
  afterAll(() => session.destroy());

  /** Starts an upload, never ends it, and resolves to the answer once the server has closed the stream. */
  async function answerTo(
    path: string,
    headers: Record<string, string>,
    first: Buffer,
    bytes = LARGE_BYTES,
  ): Promise<string> {
    const stream = session.request({ ':method': 'POST', ':path': path, ...headers });
    const seen: Record<string, unknown>[] = [];
    let body = '';
    stream.on('response', (answer) => seen.push(answer));
    stream.on('trailers', (trailers) => seen.push(trailers));
    stream.on('data', (chunk) => {
      body += chunk.toString('latin1');
    });
    stream.on('error', (error) => seen.push({ error: error.message }));
    const closed = once(stream, 'close', { signal: AbortSignal.timeout(WAIT_MS) });
    stream.write(first);
    for (let sent = first.length; sent < bytes; sent += CHUNK_BYTES) stream.write(Buffer.alloc(CHUNK_BYTES));
    await closed;
    expect(stream.rstCode).toBe(http2.constants.NGHTTP2_NO_ERROR);
    return JSON.stringify([seen, body.replace(/grpc-status: (\d+)/, '"$1"')]);
  }

  it.each(EVERY)(
    'gets its answer and has its stream closed: %s',
    async (_what, type, path, headers, expected) => {
      const answer = await answerTo(path, headersOf(type, headers), upload(LARGE_BYTES));
      expect(answer.replaceAll('\\', '')).toMatch(expected);
    },
  );

  it.each(TYPES)('gets its answer at the deadline and has its stream closed, as %s', async (type) => {
    const timeout = { 'grpc-timeout': '300m', 'connect-timeout-ms': '300' };
    const headers = { 'content-type': type, authorization: operator, ...timeout };
    const answer = await answerTo(PATH, headers, Buffer.alloc(3), 3);
    expect(answer.replaceAll('\\', '')).toMatch(/deadline_exceeded|"4"/);
  });

  it('gets its answer when the message of a stream cannot be decoded, and has its stream closed', async () => {
    const junk = Buffer.concat([Buffer.from([0, 0, 0, 0, 3]), Buffer.alloc(3, 255)]);
    const headers = { 'content-type': 'application/grpc', authorization: operator };
    const answer = await answerTo(REFLECTION, headers, junk, 0);
    expect(answer.replaceAll('\\', '')).toMatch(/"grpc-status":"3"/);
  });

  it('leaves the session usable for the next call', async () => {
    const stream = session.request({
      ':method': 'POST',
      ':path': PATH,
      'content-type': 'application/proto',
      authorization: operator,
    });
    stream.end(
      toBinary(GetSubmissionRequestSchema, create(GetSubmissionRequestSchema, { submissionId: newId() })),
    );
    const [answer] = await once(stream, 'response');
    expect(answer[':status']).toBe(400);
    stream.close();
  });
});

describe('an HTTP/1.1 call refused during its upload', () => {
  /**
   * Sends the whole upload, ending it after the answer, and resolves to the answer; rejects if the connection breaks.
   */
  async function answerTo(path: string, given: Record<string, string>, isChunked: boolean) {
    const { ':method': method = 'POST', ...headers } = given;
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const call = http.request(`${server.baseUrl}${path}`, {
      method,
      agent,
      headers: {
        ...headers,
        ...(isChunked ? {} : { 'content-length': LARGE_BYTES }),
      },
    });
    const broken = new Promise<never>((_resolve, reject) => call.on('error', reject));
    const written = once(call, 'finish');
    const answered = once(call, 'response') as Promise<[http.IncomingMessage]>;
    call.write(upload(LARGE_BYTES));
    for (let sent = CHUNK_BYTES; sent < LARGE_BYTES; sent += CHUNK_BYTES)
      call.write(Buffer.alloc(CHUNK_BYTES));
    // The upload ends after the answer.
    const [response] = await Promise.race([answered, broken]);
    const port = response.socket.localPort;
    const body: Buffer[] = [];
    response.on('data', (chunk) => body.push(chunk));
    call.end();
    await Promise.race([Promise.all([written, once(response, 'end')]), broken]);
    const next = http.get(`${server.baseUrl}/livez`, { agent });
    const [ok] = (await once(next, 'response')) as [http.IncomingMessage];
    expect([ok.statusCode, ok.socket.localPort]).toEqual([200, port]);
    ok.resume();
    await once(ok, 'end');
    agent.destroy();
    const text = Buffer.concat(body)
      .toString('latin1')
      .replace(/grpc-status: (\d+)/, '"$1"');
    return JSON.stringify([response.statusCode, response.headers, response.trailers, text]);
  }

  it.each(EVERY.map((one, at) => [...one, at % 2 === 0] as const))(
    'gets its answer and keeps its connection: %s',
    async (_what, type, path, headers, expected, isChunked) => {
      const answer = await answerTo(path, headersOf(type, headers), isChunked);
      expect(answer.replaceAll('\\', '')).toMatch(expected);
    },
  );
});

describe.each([
  ['gRPC', () => createGrpcTransport({ baseUrl: server.h2cUrl })],
  ['gRPC-Web over HTTP/2', () => createGrpcWebTransport({ httpVersion: '2', baseUrl: server.h2cUrl })],
  ['gRPC-Web over HTTP/1.1', () => createGrpcWebTransport({ httpVersion: '1.1', baseUrl: server.baseUrl })],
  ['Connect over HTTP/2', () => createConnectTransport({ httpVersion: '2', baseUrl: server.h2cUrl })],
  ['Connect over HTTP/1.1', () => createConnectTransport({ httpVersion: '1.1', baseUrl: server.baseUrl })],
  [
    'Connect over HTTP/1.1, the plain way',
    () =>
      createConnectTransport({
        httpVersion: '1.1',
        baseUrl: server.baseUrl,
        useBinaryFormat: true,
        acceptCompression: [],
      }),
  ],
])('a connect-node client that speaks %s', (_what, transport) => {
  const codes = async (authorization: string, bytes: number, calls = 3) => {
    const client = createClient(SubmissionService, transport());
    const seen: string[] = [];
    for (let call = 0; call < calls; call += 1) {
      const done = client.getSubmission(
        { submissionId: 'x'.repeat(bytes) },
        { headers: { authorization }, timeoutMs: 20_000 },
      );
      await done.catch((error: unknown) => seen.push(Code[ConnectError.from(error).code] ?? ''));
    }
    return new Set(seen);
  };

  it('gets an answer each time its message is too large, and its next call succeeds', async () => {
    expect(await codes(operator, LARGE_BYTES)).toEqual(new Set(['ResourceExhausted']));
    expect(await codes(operator, 10, 1)).toEqual(new Set(['InvalidArgument']));
  });

  it.each([60_000, LARGE_BYTES])(
    'gets an answer each time its token is rejected, with %d bytes',
    async (bytes) => {
      // Data that an HTTP/2 client has not sent yet fills its session's 10 MB.
      expect(await codes('Bearer a.b.c', bytes, bytes < LARGE_BYTES ? 10 : 3)).toEqual(
        new Set(['Unauthenticated']),
      );
    },
  );
});
