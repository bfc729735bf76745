import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import {
  type CallOptions,
  Code,
  ConnectError,
  createClient,
  createConnectRouter,
  type HandlerContext,
} from '@connectrpc/connect';
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from '@connectrpc/connect-node';
import {
  AccountService,
  ResolveCredentialRequestSchema,
  type ResolveCredentialResponse,
} from '@supplier/proto/account/v1/account';
import {
  CallsService,
  CallTogetherRequestSchema,
  CallTogetherResponseSchema,
} from '@supplier/proto/calls/v1/calls';
import { RefusalSchema } from '@supplier/proto/common/v1/refusal';
import { startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { EnvelopeReader, inEnvelope } from '../envelopes/index.ts';
import { createRpcClient } from '../rpc-client/index.ts';
import { CallSets, type Pipeline } from './serve-batched-calls.ts';

const RPC = 'supplier.account.v1.AccountService/ResolveCredential';
const publicId = 'abcdefghijklmnop';
const MiB = 1024 * 1024;

let server: TestRpcServer<typeof AccountService>;
let token: string;
let handle: (context: HandlerContext) => object;
let allowedMs: number | undefined;

beforeAll(async () => {
  server = await startTestRpcServer('account', AccountService, (router) =>
    router.service(AccountService, {
      resolveCredential: async (_request, context) => {
        allowedMs = context.timeoutMs();
        return handle(context) as ResolveCredentialResponse;
      },
    }),
  );
  token = await server.tokenOf('tester', 'service:gateway');
});
beforeEach(() => {
  allowedMs = undefined;
  handle = () => ({ secretHash: Buffer.alloc(32) });
});
afterAll(() => server.close());

const CLIENTS = [
  ['gRPC', () => createGrpcTransport({ baseUrl: server.h2cUrl })],
  ['gRPC-Web', () => createGrpcWebTransport({ httpVersion: '1.1', baseUrl: server.baseUrl })],
  ['Connect', () => createConnectTransport({ httpVersion: '1.1', baseUrl: server.baseUrl })],
  [
    'Connect, the plain way',
    () =>
      createConnectTransport({
        httpVersion: '1.1',
        baseUrl: server.baseUrl,
        useBinaryFormat: true,
        acceptCompression: [],
      }),
  ],
] as const;

describe.each(CLIENTS)('a %s client', (name, transport) => {
  const call = (headers: Record<string, string>, options: CallOptions = {}) =>
    createClient(AccountService, transport()).resolveCredential({ publicId }, { ...options, headers });
  const codeOf = (made: Promise<unknown>) =>
    made.then(
      () => 'OK',
      (error: unknown) => Code[ConnectError.from(error).code],
    );

  it.each(['Bearer', 'bearer', 'BEARER', 'bEARER', 'Bearer  '])(
    'may write the token scheme as "%s"',
    async (scheme) => {
      expect(await codeOf(call({ authorization: `${scheme} ${token}` }))).toBe('OK');
    },
  );

  it.each(['Basic', 'Bearer:', 'Token', 'xBearer', ''])('may not use the scheme "%s"', async (scheme) => {
    expect(await codeOf(call({ authorization: `${scheme} ${token}` }))).toBe('Unauthenticated');
  });

  const isGrpc = name.startsWith('gRPC');
  it.each(
    isGrpc
      ? ['61S', '90S', '2M', '1H', '99999999H', '60001m', '60000001u']
      : ['60001', '90000', '86400000', '9999999999'],
  )('has its deadline of %s shortened to 60 s', async (timeout) => {
    const header = isGrpc ? 'grpc-timeout' : 'connect-timeout-ms';
    expect(await codeOf(call({ authorization: `Bearer ${token}`, [header]: timeout }))).toBe('OK');
    expect(allowedMs).toBeGreaterThan(50_000);
    expect(allowedMs).toBeLessThanOrEqual(60_000);
  });

  it('keeps a shorter deadline', async () => {
    const header = isGrpc ? { 'grpc-timeout': '30S' } : { 'connect-timeout-ms': '30000' };
    await call({ authorization: `Bearer ${token}`, ...header });
    expect(allowedMs).toBeGreaterThan(20_000);
    expect(allowedMs).toBeLessThanOrEqual(30_000);
  });

  it.each(['', ' ', '-1', '1.5', 'soon', '12345678901', '1 S'])(
    'is rejected with the malformed deadline "%s"',
    async (timeout) => {
      const header = isGrpc ? 'grpc-timeout' : 'connect-timeout-ms';
      expect(await codeOf(call({ authorization: `Bearer ${token}`, [header]: timeout }))).toBe(
        'InvalidArgument',
      );
    },
  );
});

describe('an exchange of several calls', () => {
  const good = toBinary(ResolveCredentialRequestSchema, create(ResolveCredentialRequestSchema, { publicId }));
  const calls = [
    { rpc: RPC, message: good },
    { rpc: RPC, message: Buffer.alloc(9, 255) },
    { rpc: RPC, message: good.subarray(0, 5) },
    { rpc: RPC, message: good, headers: { 'connect-timeout-ms': '' } },
    { rpc: RPC, message: good, headers: { 'connect-timeout-ms': '90000' } },
  ];
  const codes = (answers: readonly { call: number; status: number; body: Uint8Array }[]) =>
    [...answers]
      .sort((one, other) => one.call - other.call)
      .map(({ status, body }) => (status === 200 ? 'ok' : JSON.parse(Buffer.from(body).toString()).code));
  const expected = ['ok', 'invalid_argument', 'invalid_argument', 'invalid_argument', 'ok'];

  const url = () => `${server.baseUrl}/${CallsService.typeName}/CallTogether`;
  const headersOf = (headers: Record<string, string>) => ({
    authorization: `bearer ${token}`,
    'content-type': 'application/connect+proto',
    'connect-protocol-version': '1',
    ...headers,
  });
  const post = (headers: Record<string, string>) =>
    fetch(url(), {
      method: 'POST',
      headers: headersOf(headers),
      body: inEnvelope(toBinary(CallTogetherRequestSchema, create(CallTogetherRequestSchema, { calls }))),
    }).then(async (answer) => [...new EnvelopeReader(MiB * 8).read(Buffer.from(await answer.arrayBuffer()))]);

  it('reports a malformed message as the caller’s error', async () => {
    const messages = (await post({})).filter(({ isEnd }) => !isEnd);
    expect(
      codes(messages.flatMap(({ message }) => fromBinary(CallTogetherResponseSchema, message).answers)),
    ).toEqual(expected);
  });

  it('returns the same answers through Connect’s own handlers', async () => {
    const client = createClient(CallsService, createGrpcTransport({ baseUrl: server.h2cUrl }));
    const answers = [];
    const headers = { authorization: `Bearer ${token}` };
    for await (const message of client.callTogether({ calls }, { headers })) answers.push(...message.answers);
    expect(codes(answers)).toEqual(expected);
  });

  it('gets large answers in several messages', async () => {
    handle = () => ({ secretHash: Buffer.alloc(MiB * 2) });
    const messages = (await post({})).filter(({ isEnd }) => !isEnd).map(({ message }) => message);
    const answers = messages.flatMap((message) => fromBinary(CallTogetherResponseSchema, message).answers);
    expect(codes(answers)).toEqual(expected);
    for (const { byteLength } of messages) expect(byteLength).toBeLessThan(MiB * 4);
  });

  it('is answered when one of its answers cannot be encoded', async () => {
    let isFirst = true;
    handle = () => {
      if (!isFirst) return {};
      isFirst = false;
      const value = { code: 'not a number' } as never;
      throw new ConnectError('no', Code.Aborted, undefined, [{ desc: RefusalSchema, value }]);
    };
    const messages = (await post({})).filter(({ isEnd }) => !isEnd);
    const answers = messages.flatMap(
      ({ message }) => fromBinary(CallTogetherResponseSchema, message).answers,
    );
    expect(codes(answers)).toEqual(['internal', ...expected.slice(1)]);
  });

  it('is rejected when it is larger than a request may be', async () => {
    const body = Buffer.alloc(MiB + 1);
    const answer = await fetch(url(), { method: 'POST', headers: headersOf({}), body });
    expect(await answer.text()).toContain('"resource_exhausted"');
  });

  it.each(['', 'soon'])('is rejected with the malformed deadline "%s"', async (timeout) => {
    const [end] = await post({ 'connect-timeout-ms': timeout });
    expect(JSON.parse(Buffer.from(end?.message ?? '').toString()).error.code).toBe('invalid_argument');
  });
});

it('a service cannot have options of its own, which would replace the pipeline of its calls', () => {
  const register = (options: object) =>
    new CallSets({} as Pipeline).register(createConnectRouter(), (router) =>
      router.service(AccountService, {}, options),
    );
  expect(() => register({ interceptors: [] })).toThrow('options of its own');
});

describe.each([
  ['a call on its own', 1, {}],
  ['a call in a set', 1, { resolveCredential: {} }],
  ['a call among others', 2, { resolveCredential: {} }],
])('our RPC client with %s', (_what, count, together) => {
  const callOurs = (options: CallOptions) => {
    const client = createRpcClient(AccountService, {
      baseUrl: server.baseUrl,
      audience: 'account',
      timeoutMs: 20_000,
      tokens: { tokenFor: async () => token },
      together,
    });
    return Promise.allSettled(
      Array.from({ length: count }, () => client.resolveCredential({ publicId }, options)),
    );
  };

  it('reads the trailers of an error under their own names', async () => {
    handle = (context) => {
      context.responseHeader.set('x-head', 'h');
      context.responseTrailer.append('x-tail', 'one');
      context.responseTrailer.append('x-tail', 'two');
      throw new ConnectError('no', Code.Aborted, { 'x-said': 'so' });
    };
    for (const result of await callOurs({})) {
      const { metadata } = ConnectError.from((result as PromiseRejectedResult).reason);
      const names = ['x-head', 'x-tail', 'x-said', 'trailer-x-tail'];
      expect(names.map((name) => metadata.get(name))).toEqual(['h', 'one, two', 'so', null]);
    }
  });

  it('reads two cookies separately, from an answer and from an error', async () => {
    const cookies = ['a=1; Expires=Thu, 26 Nov 2026 00:00:00 GMT', 'b=2'];
    const seen: string[][] = [];
    handle = ({ responseHeader }) => {
      for (const cookie of cookies) responseHeader.append('set-cookie', cookie);
      return { secretHash: Buffer.alloc(32) };
    };
    await callOurs({ onHeader: (headers) => void seen.push(headers.getSetCookie()) });
    expect(seen).toEqual(Array(count).fill(cookies));
    handle = () => {
      const error = new ConnectError('no', Code.Aborted);
      for (const cookie of cookies) error.metadata.append('set-cookie', cookie);
      throw error;
    };
    for (const result of await callOurs({})) {
      const { metadata } = ConnectError.from((result as PromiseRejectedResult).reason);
      expect(metadata.getSetCookie()).toEqual(cookies);
    }
  });

  it('sends each value of a repeated header', async () => {
    let sent: string | null = '';
    handle = ({ requestHeader }) => {
      sent = requestHeader.get('x-many');
      return { secretHash: Buffer.alloc(32) };
    };
    await callOurs({
      headers: [
        ['x-many', '1'],
        ['X-Many', '2'],
      ],
    });
    expect(sent).toBe('1, 2');
  });
});
