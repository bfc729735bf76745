import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { create, type MessageInitShape, toBinary } from '@bufbuild/protobuf';
import { type CallOptions, Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import {
  AccountService,
  type ResolveCredentialRequest,
  type ResolveCredentialResponse,
} from '@supplier/proto/account/v1/account';
import { type AnswerSchema, CallTogetherResponseSchema } from '@supplier/proto/calls/v1/calls';
import { currentContext, runInContext } from '../../runtime/request-context/index.ts';
import { startTestProcess, startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { inEnvelope } from '../envelopes/index.ts';
import { principalOf } from '../rpc-server/index.ts';
import { callOptions, createRpcClient } from './index.ts';

type Handle = (request: ResolveCredentialRequest, context: HandlerContext) => Promise<object>;

const id = (number: number) => `abcdefghijklmn${String(number).padStart(2, '0')}`;
const calls = (count: number) => Array.from({ length: count }, (_, number) => number);
const answerOf = (publicId: string) => ({ secretHash: Buffer.from(publicId.padEnd(32, '.')) });
const idOf = ({ secretHash }: ResolveCredentialResponse) =>
  Buffer.from(secretHash).toString().replaceAll('.', '');

const STREAM = { 'content-type': 'application/connect+proto' };

let handle: Handle;
let server: TestRpcServer<typeof AccountService>;
/** Sits between client and server: records the path of each request and may answer it. */
let proxy: http.Server;
let paths: string[];
let intercept: (path: string, response: http.ServerResponse) => boolean;
let role: string;

beforeAll(async () => {
  const process = startTestProcess('account');
  server = await startTestRpcServer(
    'account',
    AccountService,
    (router) =>
      router.service(AccountService, {
        resolveCredential: async (request, context) =>
          (await handle(request, context)) as ResolveCredentialResponse,
      }),
    process,
  );
  proxy = http.createServer((request, response) => {
    const path = request.url ?? '';
    paths.push(path.replace(/.*\//, ''));
    if (intercept(path, response)) return void request.resume();
    const onward = http.request(`${server.baseUrl}${path}`, { method: 'POST', headers: request.headers });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    response.on('close', () => onward.destroy());
    request.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
});
beforeEach(() => {
  handle = async ({ publicId }) => answerOf(publicId);
  intercept = () => false;
  [paths, role] = [[], 'service:gateway'];
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await server.close();
});

function client() {
  const { port } = proxy.address() as { port: number };
  const token = server.tokenOf('tester', role);
  return createRpcClient(AccountService, {
    baseUrl: `http://127.0.0.1:${port}`,
    audience: 'account',
    timeoutMs: 20_000,
    tokens: { tokenFor: () => token },
    together: { resolveCredential: {} },
  });
}
const callAll = (count: number, options?: CallOptions) => {
  const { resolveCredential } = client();
  return Promise.allSettled(
    calls(count).map((number) => resolveCredential({ publicId: id(number) }, options)),
  );
};
const codeOf = (result: PromiseSettledResult<unknown>) =>
  result.status === 'fulfilled' ? 'OK' : Code[ConnectError.from(result.reason).code];

it('batchCalls sends simultaneous calls in one exchange, each with its own response', async () => {
  const { resolveCredential } = client();
  const answers = await Promise.all(calls(20).map((number) => resolveCredential({ publicId: id(number) })));
  expect(answers.map(idOf)).toEqual(calls(20).map(id));
  expect(paths).toEqual(['CallTogether']);
  await resolveCredential({ publicId: id(1) });
  expect(paths).toEqual(['CallTogether', 'CallTogether']);
});

it('batchCalls reuses one connection for consecutive exchanges', async () => {
  let connections = 0;
  proxy.on('connection', () => {
    connections += 1;
  });
  const { resolveCredential } = client();
  for (let time = 0; time < 5; time += 1)
    await Promise.all([1, 2].map((number) => resolveCredential({ publicId: id(number) })));
  expect(paths).toEqual(new Array(5).fill('CallTogether'));
  expect(connections).toBe(1);
});

it('batchCalls sends each call with its own supplier, request id and trace', async () => {
  const seen = new Map<string, unknown>();
  handle = async ({ publicId }, call) => {
    const { requestId, traceParent } = currentContext() ?? {};
    seen.set(publicId, { requestId, traceParent, account: principalOf(call)?.accountId });
    return answerOf(publicId);
  };
  const { resolveCredential } = client();
  const expected = calls(3).map((number) => {
    const traceParent = `00-${'a'.repeat(31)}${number}-${'b'.repeat(16)}-01`;
    return [id(number), { requestId: `request-${number}`, traceParent, account: newId() }] as const;
  });
  await Promise.all(
    expected.map(([publicId, { requestId, traceParent, account }]) => {
      const principal = { accountId: account, credentialId: newId(), environment: 1, scopes: [1], terms: {} };
      return runInContext({ requestId, traceParent }, () =>
        resolveCredential({ publicId }, callOptions(principal)),
      );
    }),
  );
  expect(paths).toEqual(['CallTogether']);
  expect(seen).toEqual(new Map(expected));
});

it('batchCalls fails only the refused call, with its details, headers and code', async () => {
  handle = async ({ publicId }) => {
    if (publicId === id(1)) throw new ConnectError('no', Code.NotFound, { 'x-said': 'so' });
    return answerOf(publicId);
  };
  const { resolveCredential } = client();
  const results = await Promise.allSettled(
    [id(0), id(1), 'x'].map((publicId) => resolveCredential({ publicId })),
  );
  expect(results.map(codeOf)).toEqual(['OK', 'NotFound', 'InvalidArgument']);
  const refused = results[1] as PromiseRejectedResult;
  expect(ConnectError.from(refused.reason).metadata.get('x-said')).toBe('so');
  expect(paths).toEqual(['CallTogether']);
});

it('batchCalls returns responses as they arrive: a slow call delays neither its group nor later calls', async () => {
  const slow = Promise.withResolvers<void>();
  handle = async ({ publicId }) => {
    if (publicId === id(0)) await slow.promise;
    return answerOf(publicId);
  };
  const { resolveCredential } = client();
  const first = resolveCredential({ publicId: id(0) });
  await Promise.all(calls(9).map((number) => resolveCredential({ publicId: id(number + 1) })));
  for (let group = 0; group < 5; group += 1) {
    await Promise.all([1, 2].map((number) => resolveCredential({ publicId: id(number) })));
  }
  slow.resolve();
  expect(idOf(await first)).toBe(id(0));
});

it('batchCalls sends further calls while every exchange is slow', async () => {
  const slow = Promise.withResolvers<void>();
  handle = async ({ publicId }) => {
    if (publicId !== id(99)) await slow.promise;
    return answerOf(publicId);
  };
  const { resolveCredential } = client();
  const waiting = [];
  for (let group = 0; group < 5; group += 1) {
    waiting.push(...[0, 1].map((number) => resolveCredential({ publicId: id(number) })));
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(idOf(await resolveCredential({ publicId: id(99) }))).toBe(id(99));
  slow.resolve();
  expect((await Promise.all(waiting)).map(idOf)).toEqual(waiting.map((_, place) => id(place % 2)));
});

it('batchCalls ends each call at its own deadline or when its caller cancels it', async () => {
  handle = ({ publicId }) =>
    publicId === id(0) ? Promise.resolve(answerOf(publicId)) : new Promise(() => {});
  const { resolveCredential } = client();
  const cancelling = new AbortController();
  const options = [{}, { timeoutMs: 100 }, { signal: cancelling.signal }];
  const results = Promise.allSettled(
    options.map((option, number) => resolveCredential({ publicId: id(number) }, option)),
  );
  setTimeout(() => cancelling.abort(), 200);
  expect((await results).map(codeOf)).toEqual(['OK', 'DeadlineExceeded', 'Canceled']);
  expect(paths).toEqual(['CallTogether']);
});

it('batchCalls does not send a call that is already cancelled', async () => {
  const call = client().resolveCredential({ publicId: id(0) }, { signal: AbortSignal.abort() });
  await expect(call).rejects.toMatchObject({ code: Code.Canceled });
  expect(paths).toEqual([]);
});

it('batchCalls aborts the exchange on the server when no caller is waiting', async () => {
  const aborted: Promise<unknown>[] = [];
  const started = Promise.withResolvers<void>();
  handle = (_, { signal }) => {
    aborted.push(once(signal, 'abort'));
    if (aborted.length === 2) started.resolve();
    return new Promise(() => {});
  };
  const cancelling = new AbortController();
  const results = callAll(2, { signal: cancelling.signal });
  await started.promise;
  cancelling.abort();
  await Promise.all(aborted);
  expect((await results).map(codeOf)).toEqual(['Canceled', 'Canceled']);
});

it.each([
  [404, 'Unimplemented'],
  [503, 'Unavailable'],
])('batchCalls fails each call when the exchange gets a %i', async (status, code) => {
  intercept = (_path, response) => {
    response.writeHead(status).end('a page');
    return true;
  };
  expect((await callAll(2)).map(codeOf)).toEqual([code, code]);
  expect(paths).toEqual(['CallTogether']);
});

it("batchCalls fails each call with the server's error when the exchange is refused", async () => {
  role = 'service:billing';
  expect((await callAll(2)).map(codeOf)).toEqual(['PermissionDenied', 'PermissionDenied']);
  expect(paths).toEqual(['CallTogether']);
});

it.each([
  ['breaks', (response: http.ServerResponse) => response.destroy()],
  ['ends', (response: http.ServerResponse) => response.writeHead(200, STREAM).end()],
  [
    'returns an invalid response',
    (response: http.ServerResponse) => response.writeHead(200, STREAM).end(Buffer.alloc(64, 255)),
  ],
])('batchCalls retries repeatable calls when their exchange %s', async (_how, end) => {
  let times = 0;
  intercept = (path, response) => {
    if (!path.endsWith('CallTogether') || times > 0) return false;
    times += 1;
    end(response);
    return true;
  };
  expect((await callAll(3)).map(codeOf)).toEqual(['OK', 'OK', 'OK']);
});

it('batchCalls splits more calls than fit into several exchanges', async () => {
  expect(new Set((await callAll(99)).map(codeOf))).toEqual(new Set(['OK']));
  expect(paths.length).toBeGreaterThan(1);
});

it('batchCalls keeps each exchange within the size that a server reads', async () => {
  const { resolveCredential } = client();
  const tooLong = 'x'.repeat(100_000);
  const results = await Promise.allSettled(calls(20).map(() => resolveCredential({ publicId: tooLong })));
  expect(new Set(results.map(codeOf))).toEqual(new Set(['InvalidArgument']));
  expect(new Set(paths)).toEqual(new Set(['CallTogether']));
});

it("batchCalls counts headers in an exchange's size", async () => {
  const { resolveCredential } = client();
  const options = { headers: { 'x-large': 'x'.repeat(12_000) } };
  const results = await Promise.allSettled(
    calls(60).map((number) => resolveCredential({ publicId: id(number % 16) }, options)),
  );
  expect(new Set(results.map(codeOf))).toEqual(new Set(['OK']));
  expect(paths).toEqual(['CallTogether', 'CallTogether']);
});

describe('an answer of a compromised or broken server', () => {
  const answers = (...given: MessageInitShape<typeof AnswerSchema>[]) =>
    inEnvelope(toBinary(CallTogetherResponseSchema, create(CallTogetherResponseSchema, { answers: given })));

  it('with a malformed header fails only its call', async () => {
    const body = Buffer.from('{"code":"not_found","message":"no"}');
    intercept = (_path, response) => {
      response.writeHead(200, STREAM);
      response.end(
        Buffer.concat([
          answers({ call: 0, status: 404, body, headers: { 'x\r\ny': 'z' } }, { call: 1, status: 200 }),
          answers({ call: 2, status: 404, body, headers: { 'x-fine': 'z' } }),
          inEnvelope(Buffer.from('{}'), true),
        ]),
      );
      return true;
    };
    expect((await callAll(3)).map(codeOf)).toEqual(['Internal', 'OK', 'NotFound']);
  });

  it.each([
    ['a message that is too large', () => Buffer.from([0, 0x7f, 0xff, 0xff, 0xff])],
    ['a compressed message', () => Buffer.from([1, 0, 0, 0, 0])],
    ['an end that is not JSON', () => inEnvelope(Buffer.from('{'), true)],
  ])('is not read further after %s', async (_what, bytes) => {
    const closed = Promise.withResolvers<void>();
    intercept = (_path, response) => {
      response.once('close', closed.resolve);
      response.writeHead(200, STREAM).write(bytes());
      return true;
    };
    expect((await callAll(2)).map(codeOf)).toEqual(['Unavailable', 'Unavailable']);
    await closed.promise;
  });

  it('that never ends is cut once all calls are answered, and holds up none', async () => {
    const closed = Promise.withResolvers<void>();
    intercept = (_path, response) => {
      if (paths.length > 1) return false;
      response.once('close', closed.resolve);
      response.writeHead(200, STREAM).write(answers({ call: 0, status: 200 }, { call: 1, status: 200 }));
      return true;
    };
    const { resolveCredential } = client();
    await Promise.all([1, 2].map((number) => resolveCredential({ publicId: id(number) })));
    expect(idOf(await resolveCredential({ publicId: id(3) }))).toBe(id(3));
    await closed.promise;
  });

  it('that never comes is cut at the deadline of its calls', async () => {
    const closed = Promise.withResolvers<void>();
    intercept = (_path, response) => {
      response.once('close', closed.resolve);
      return true;
    };
    expect((await callAll(2, { timeoutMs: 100 })).map(codeOf)).toEqual([
      'DeadlineExceeded',
      'DeadlineExceeded',
    ]);
    await closed.promise;
  });
});

it('batchCalls has at most 32 exchanges in progress, and opens no connection for one whose calls have ended', async () => {
  intercept = () => true;
  let connections = 0;
  proxy.on('connection', () => {
    connections += 1;
  });
  const { resolveCredential } = client();
  const leaving = new AbortController();
  const ended: Promise<unknown>[] = [];
  const call = async () => {
    ended.push(resolveCredential({ publicId: id(1) }, { signal: leaving.signal }).catch(() => {}));
    await delay(5);
  };
  while (paths.length < 32) await call();
  for (let more = 0; more < 40; more += 1) await call();
  expect(paths).toHaveLength(32);
  leaving.abort();
  await Promise.all(ended);
  intercept = () => false;
  expect(idOf(await resolveCredential({ publicId: id(2) }))).toBe(id(2));
  expect(connections).toBe(33);
});
