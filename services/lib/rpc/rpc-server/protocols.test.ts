import { once } from 'node:events';
import http from 'node:http';
import { inspect } from 'node:util';
import { type CallOptions, Code, ConnectError, createClient, type HandlerContext } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport } from '@connectrpc/connect-node';
import { AccountService, type ResolveCredentialResponse } from '@supplier/proto/account/v1/account';
import { currentContext } from '../../runtime/request-context/index.ts';
import {
  startTestProcess,
  startTestRpcServer,
  type TestProcess,
  type TestRpcServer,
} from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { RefusalCode, refusalOf, refuse } from '../refusal/index.ts';
import { callOptions, createRpcClient } from '../rpc-client/index.ts';
import { callerOf, principalOf } from './index.ts';

const PATH = '/supplier.account.v1.AccountService/ResolveCredential';
const publicId = 'abcdefghijklmnop';
const secretHash = Buffer.alloc(32, 7).toString('base64');
const principal = { accountId: newId(), credentialId: newId(), environment: 1, scopes: [1], terms: {} };

let process: TestProcess;
let server: TestRpcServer<typeof AccountService>;
let token: string;
/** What the handler does with the current call. */
let handle: (context: HandlerContext) => unknown;
/** What the handler received, limited to what is the same in every protocol. */
let seen: unknown;

beforeAll(async () => {
  process = startTestProcess('account');
  server = await startTestRpcServer(
    'account',
    AccountService,
    (router) =>
      router.service(AccountService, {
        async resolveCredential(request, context) {
          seen = {
            request,
            context: currentContext()?.requestId,
            caller: callerOf(context),
            principal: principalOf(context),
            header: context.requestHeader.get('x-other'),
            allowed: typeof context.timeoutMs(),
            aborted: context.signal.aborted,
            service: context.service.typeName,
            method: context.method.name,
          };
          return (await handle(context)) as ResolveCredentialResponse;
        },
      }),
    process,
  );
  token = await server.tokenOf('tester', 'service:gateway');
});
beforeEach(() => {
  handle = () => ({ secretHash: Buffer.from(secretHash, 'base64') });
  seen = undefined;
});
afterAll(() => server.close());

const ours = () => ({
  baseUrl: server.baseUrl,
  audience: 'account',
  timeoutMs: 20_000,
  tokens: { tokenFor: async () => token },
});

/** One caller per protocol, and one in a set. */
const callers = () => {
  const json = { baseUrl: server.baseUrl, httpVersion: '1.1' as const, useBinaryFormat: false };
  return [
    ['our own', createRpcClient(AccountService, ours())],
    ['a set', createRpcClient(AccountService, { ...ours(), together: { resolveCredential: {} } })],
    ['Connect JSON', createClient(AccountService, createConnectTransport(json))],
    ['Connect h1', createClient(AccountService, createConnectTransport({ ...json, useBinaryFormat: true }))],
    ['gRPC', createClient(AccountService, createGrpcTransport({ baseUrl: server.h2cUrl }))],
  ] as const;
};

/** Returns the outcome of one call: answer or error, what the handler saw, log lines and measurements. */
async function outcome(
  client: ReturnType<typeof callers>[number][1],
  id: string,
  options: CallOptions & { headers?: Record<string, string> },
) {
  seen = undefined;
  const logged = process.lines.length;
  const before = await measured();
  const headers = new Headers({ authorization: `Bearer ${token}`, ...options.headers });
  const trailers: string[] = [];
  const onTrailer = (trailer: Headers) => void trailers.push(trailer.get('x-trailer') ?? '');
  const result = await client.resolveCredential({ publicId: id }, { ...options, headers, onTrailer }).then(
    (answer: ResolveCredentialResponse) => ({
      code: 'OK',
      hash: Buffer.from(answer.secretHash).toString('base64'),
      trailers,
    }),
    (thrown: unknown) => {
      const error = ConnectError.from(thrown);
      return {
        code: Code[error.code],
        message: error.rawMessage,
        refusal: refusalOf(error),
        said: error.metadata.get('x-said'),
      };
    },
  );
  const log = process.lines.slice(logged).map(({ level, msg, rpc, code }) => ({ level, msg, rpc, code }));
  return { result, seen, log, measured: difference(before, await measured()) };
}

async function measured(): Promise<Map<string, number>> {
  const page = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const lines = page.match(/^sss_rpc_duration_seconds_count.*ResolveCredential.*$/gm) ?? [];
  return new Map(lines.map((line) => [line.replace(/ \d+$/, ''), Number(/\d+$/.exec(line)?.[0])]));
}
const difference = (before: Map<string, number>, after: Map<string, number>) =>
  [...after].filter(([line, count]) => count !== (before.get(line) ?? 0)).map(([line]) => line);

const CASES: [
  string,
  string,
  { id?: string; options?: Parameters<typeof outcome>[2]; handle?: typeof handle },
][] = [
  ['a response', 'OK', {}],
  ['a call for a supplier', 'OK', { options: callOptions(principal as never) as never }],
  [
    'a call with a deadline and a header',
    'OK',
    { options: { timeoutMs: 5_000, headers: { 'x-other': 'o' } } },
  ],
  ['a request id', 'OK', { options: { headers: { 'x-request-id': 'mine' } } }],
  ['a malformed principal', 'InvalidArgument', { options: { headers: { 'x-supplier-principal': '!!' } } }],
  ['a broken rule', 'InvalidArgument', { id: 'x' }],
  [
    'a refusal with details',
    'Aborted',
    {
      handle: () =>
        Promise.reject(refuse(RefusalCode.REVISION_CONFLICT, 'Changed.', { currentRevision: 3n })),
    },
  ],
  [
    'an error with a header',
    'NotFound',
    { handle: () => Promise.reject(new ConnectError('no', Code.NotFound, { 'x-said': 'so' })) },
  ],
  ['an unexpected error', 'Internal', { handle: () => Promise.reject(new Error('Jane Doe')) }],
  [
    'an error with a cause',
    'FailedPrecondition',
    {
      handle: () => {
        throw new ConnectError('not now', Code.FailedPrecondition, undefined, undefined, new Error('x'));
      },
    },
  ],
  [
    'an unavailable database',
    'Unavailable',
    { handle: () => Promise.reject(Object.assign(new Error('x'), { code: '57P01' })) },
  ],
  [
    'a trailer',
    'OK',
    {
      handle: (context) => {
        context.responseTrailer.set('x-trailer', 't');
        return {};
      },
    },
  ],
];

describe('a unary call over HTTP/1.1 ends like the same call in any other protocol', () => {
  it.each(CASES)(
    '%s: %s',
    async (_what, code, { id = publicId, options = {}, handle: handler }) => {
      if (handler) handle = handler;
      const fixed = { 'x-request-id': 'r', ...options.headers };
      const [[, first], ...others] = callers();
      const short = await outcome(first, id, { timeoutMs: 4_000, ...options, headers: fixed });
      expect(short.result.code).toBe(code);
      expect(inspect([short.result, process.lines], { depth: 5 })).not.toContain('Jane');
      expect(short.measured).toEqual([expect.stringContaining(`code="${code}"`)]);
      for (const [protocol, client] of others) {
        const other = await outcome(client, id, { timeoutMs: 4_000, ...options, headers: fixed });
        expect({ protocol, ...other }).toEqual({ protocol, ...short });
      }
      // Five calls, each between two reads of the metrics.
    },
    30_000,
  );

  it.each([
    ['no token', {}, 'unauthenticated'],
    ['a bad token', { authorization: 'Bearer a.b.c' }, 'unauthenticated'],
    ['a token of another role', { role: 'service:billing' }, 'permission_denied'],
    ['a token for another service', { audience: 'billing' }, 'permission_denied'],
  ])('is denied with %s', async (_what, { role, audience, ...headers }: Record<string, string>, code) => {
    const authorization =
      role || audience ? `Bearer ${await server.tokenOf('tester', role ?? 'service:gateway', audience)}` : '';
    const answers = [];
    for (const contentType of ['application/proto', 'application/json']) {
      const { status, body } = await post({ authorization, 'content-type': contentType, ...headers }, '{}');
      answers.push({ status, body: JSON.parse(body.toString()) });
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.body.code).toBe(code);
  });
});

describe('bad input', () => {
  it.each([
    [
      'a message with a declared length that is too large',
      {},
      Buffer.alloc(1_048_577),
      429,
      'resource_exhausted',
    ],
    [
      'a message that turns out to be too large',
      { 'transfer-encoding': 'chunked' },
      Buffer.alloc(1_048_577),
      429,
      'resource_exhausted',
    ],
  ])('is rejected: %s', async (_what, headers, body, status, code) => {
    const answer = await post(headers, body);
    expect([answer.status, JSON.parse(answer.body.toString()).code]).toEqual([status, code]);
  });

  it("returns an internal error when the handler's answer cannot be encoded", async () => {
    handle = () => ({ secretHash: 3 });
    expect((await post({}, request())).status).toBe(500);
  });

  it('returns resource_exhausted when the answer is too large', async () => {
    handle = () => ({ secretHash: new Uint8Array(4 * 1024 * 1024 + 1) });
    const { status, body } = await post({}, request());
    expect([status, JSON.parse(body.toString()).code]).toEqual([429, 'resource_exhausted']);
  });
});

it("the measured duration of a call lies between the handler's and the caller's", async () => {
  const sum = async () => {
    const page = await (await fetch(`${server.baseUrl}/metrics`)).text();
    const lines =
      page.match(/^sss_rpc_duration_seconds_sum\{[^}]*ResolveCredential[^}]*"OK"[^}]*\} \S+$/gm) ?? [];
    return lines.reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  };
  let handledMs = 0;
  handle = async () => {
    const startedAt = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 200));
    handledMs = performance.now() - startedAt;
    return {};
  };
  const before = await sum();
  const sent = performance.now();
  expect((await post({}, request())).status).toBe(200);
  const waitedMs = performance.now() - sent;
  const measuredMs = 1_000 * ((await sum()) - before);
  expect(measuredMs).toBeGreaterThanOrEqual(handledMs - 1);
  expect(measuredMs).toBeLessThanOrEqual(waitedMs + 1);
});

it("a unary call over HTTP/1.1 ends at its caller's deadline", async () => {
  handle = () => new Promise(() => {});
  const before = await measured();
  const { status, body } = await post({ 'connect-timeout-ms': '60' }, request());
  expect([status, JSON.parse(body.toString())]).toEqual([
    504,
    { code: 'deadline_exceeded', message: 'the call took too long' },
  ]);
  expect(difference(before, await measured())).toEqual([expect.stringContaining('DeadlineExceeded')]);
});

it("a unary call over HTTP/1.1 ends when its client disconnects, and aborts the handler's signal", async () => {
  const handling = new Promise<HandlerContext>((resolve) => {
    handle = (context) => {
      resolve(context);
      return new Promise(() => {});
    };
  });
  const before = await measured();
  const call = http.request(`${server.baseUrl}${PATH}`, { method: 'POST', headers: headersOf() });
  call.on('error', () => {});
  call.end(request());
  const { signal } = await handling;
  const aborted = once(signal, 'abort');
  call.destroy();
  await aborted;
  await new Promise((resolve) => setImmediate(resolve));
  expect(difference(before, await measured())).toEqual([expect.stringContaining('DeadlineExceeded')]);
});

const request = () => Buffer.from(`\n${String.fromCharCode(publicId.length)}${publicId}`);
const headersOf = (more: Record<string, string> = {}) => ({
  'content-type': 'application/proto',
  'connect-protocol-version': '1',
  authorization: `Bearer ${token}`,
  ...more,
});

async function post(headers: Record<string, string>, body: string | Buffer) {
  const call = http.request(`${server.baseUrl}${PATH}`, { method: 'POST', headers: headersOf(headers) });
  // A server that refuses a body may close the connection before the rest is sent.
  call.on('error', () => {});
  // A body of unknown length can exceed the limit without ending.
  if ('transfer-encoding' in headers) call.write(body);
  else call.end(body);
  const [response] = (await once(call, 'response')) as [http.IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  call.destroy();
  return { status: response.statusCode, body: Buffer.concat(chunks) };
}
