import http from 'node:http';
import http2 from 'node:http2';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { GetSubmissionRequestSchema, SubmissionService } from '@supplier/proto/submission/v1/submission';
import { startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { inEnvelope } from '../envelopes/index.ts';

const CALL = 'supplier.submission.v1.SubmissionService/GetSubmission';
const WATCH = 'supplier.submission.v1.SubmissionService/WatchQueues';

let server: TestRpcServer<typeof SubmissionService>;
let token: string;
beforeAll(async () => {
  server = await startTestRpcServer('submission', SubmissionService, (router) =>
    router.service(SubmissionService, {
      getSubmission: ({ submissionId }) => {
        // As a handler's own failure that looks like the other kind.
        if (submissionId.endsWith('0')) throw new ConnectError('parse binary: x', Code.Internal);
        return { submissionId };
      },
      watchQueues: async function* () {
        yield {};
      },
    }),
  );
  token = await server.tokenOf('jo', 'staff:operator');
});
afterAll(() => server.close());

interface Said {
  readonly status: number;
  readonly code: string;
}
type Way = (rpc: string, body: Uint8Array, authorizations?: readonly string[]) => Promise<Said>;

/** Sends bytes over HTTP/2, and reads Connect's or gRPC's code. */
const overHttp2 =
  (type: string): Way =>
  (rpc, body, authorizations = [`Bearer ${token}`]) =>
    new Promise((resolve, reject) => {
      const session = http2.connect(server.h2cUrl, UNCHECKED);
      const raw = [':method', 'POST', ':path', `/${rpc}`, ':scheme', 'http', 'content-type', type];
      const stream = session.request([
        ...[...raw, ':authority', new URL(server.h2cUrl).host],
        ...authorizations.flatMap((one) => ['authorization', one]),
      ] as unknown as http2.OutgoingHttpHeaders);
      const chunks: Buffer[] = [];
      let [status, grpc] = [0, ''];
      stream.on('response', (headers) => {
        status = Number(headers[':status']);
        grpc = String(headers['grpc-status'] ?? '');
      });
      stream.on('trailers', (trailers) => {
        grpc = String(trailers['grpc-status']);
      });
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('error', reject);
      stream.on('end', () => {
        session.close();
        resolve({ status, code: grpc === '' ? codeIn(Buffer.concat(chunks)) : (Code[Number(grpc)] ?? 'OK') });
      });
      stream.end(body);
    });

const overHttp1 =
  (type: string, more: Record<string, string> = {}): Way =>
  (rpc, body, authorizations = [`Bearer ${token}`]) =>
    new Promise((resolve, reject) => {
      const headers = ['content-type', type, ...Object.entries(more).flat(), 'host', 'services'];
      const request = http.request(`${server.baseUrl}/${rpc}`, {
        method: 'POST',
        headers: [...headers, ...authorizations.flatMap((one) => ['authorization', one])],
      });
      request.on('error', reject);
      request.on('response', async (response) => {
        const answer = await buffer(response);
        resolve({ status: response.statusCode ?? 0, code: codeIn(answer) });
      });
      request.end(body);
    });

/** Returns the code in Connect's JSON, alone or at the end of a stream. */
function codeIn(answer: Buffer): string {
  const code = /"code":"([a-z_]+)"/.exec(answer.toString('latin1'))?.[1];
  return code === undefined
    ? 'OK'
    : code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Lets a client repeat headers; newer than the types of Node. */
const UNCHECKED = Object.assign<http2.ClientSessionOptions, object>({}, { strictSingleValueFields: false });

const plain = (bytes: Uint8Array) => bytes;
const WAYS: [string, Way, (bytes: Uint8Array) => Uint8Array, rpc: string][] = [
  ['gRPC', overHttp2('application/grpc'), inEnvelope, CALL],
  ['a stream of gRPC', overHttp2('application/grpc+proto'), inEnvelope, WATCH],
  ['Connect over HTTP/2', overHttp2('application/proto'), plain, CALL],
  ['a stream of Connect over HTTP/2', overHttp2('application/connect+proto'), inEnvelope, WATCH],
  [
    'Connect between services',
    overHttp1('application/proto', { 'connect-protocol-version': '1' }),
    plain,
    CALL,
  ],
  ['Connect over HTTP/1.1', overHttp1('application/proto'), plain, CALL],
  ['compressed Connect', overHttp1('application/proto', { 'content-encoding': 'gzip' }), gzipSync, CALL],
];
const request = (submissionId: string = newId().replace(/.$/, '1')) =>
  toBinary(GetSubmissionRequestSchema, create(GetSubmissionRequestSchema, { submissionId }));

describe.each(WAYS)('%s', (_, send, framed, rpc) => {
  it.each([
    ['no message', Buffer.alloc(9, 255)],
    ['half a message', request().subarray(0, 7)],
    ['a field of another type', Buffer.from([0x0d, 1, 2])],
    ['a text', Buffer.from('{"submissionId":"x"}')],
  ])('reports %s as an error of the caller', async (__, bytes) => {
    const { status, code } = await send(rpc, framed(bytes));
    expect(code).toBe('InvalidArgument');
    expect(status).toBeLessThan(500);
  });

  it('still answers messages, and reports a failure of its own as internal', async () => {
    if (rpc === WATCH) return expect((await send(rpc, framed(Buffer.alloc(0)))).code).toBe('OK');
    expect((await send(rpc, framed(request()))).code).toBe('OK');
    expect((await send(rpc, framed(request(newId().replace(/.$/, '0'))))).code).toBe('Internal');
  });

  it('refuses two tokens, whichever is valid', async () => {
    const [good, bad] = [`Bearer ${token}`, 'Bearer a.b.c'];
    for (const two of [
      [good, bad],
      [bad, good],
      [good, good],
      [good, ''],
    ])
      expect([two, (await send(rpc, framed(rpc === WATCH ? Buffer.alloc(0) : request()), two)).code]).toEqual(
        [two, 'Unauthenticated'],
      );
  });
});
