import { once } from 'node:events';
import http from 'node:http';
import { type CallOptions, Code, ConnectError, type HandlerContext } from '@connectrpc/connect';
import {
  AccountService,
  type ResolveCredentialRequest,
  type ResolveCredentialResponse,
} from '@supplier/proto/account/v1/account';
import { currentContext, runInContext } from '../../runtime/request-context/index.ts';
import { startTestProcess, startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { principalOf } from '../rpc-server/index.ts';
import { batchCalls } from './batch-calls.ts';
import { callOptions, createRpcClient } from './index.ts';

type Handle = (request: ResolveCredentialRequest, context: HandlerContext) => Promise<object>;

const id = (number: number) => `abcdefghijklmn${String(number).padStart(2, '0')}`;
const calls = (count: number) => Array.from({ length: count }, (_, number) => number);
const answerOf = (publicId: string) => ({ secretHash: Buffer.from(publicId.padEnd(32, '.')) });
const idOf = ({ secretHash }: ResolveCredentialResponse) =>
  Buffer.from(secretHash).toString().replaceAll('.', '');

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

it('batchCalls sends simultaneous calls in one exchange and a single call directly, each with its own response', async () => {
  const { resolveCredential } = client();
  const answers = await Promise.all(calls(20).map((number) => resolveCredential({ publicId: id(number) })));
  expect(answers.map(idOf)).toEqual(calls(20).map(id));
  expect(paths).toEqual(['CallTogether']);
  await resolveCredential({ publicId: id(1) });
  expect(paths).toEqual(['CallTogether', 'ResolveCredential']);
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

it('batchCalls falls back to single calls when an older server has no such exchange', async () => {
  intercept = (path, response) => {
    if (!path.endsWith('CallTogether')) return false;
    response.writeHead(404).end('not found\n');
    return true;
  };
  const { resolveCredential } = client();
  for (let time = 0; time < 2; time += 1) {
    const answers = await Promise.all([1, 2].map((number) => resolveCredential({ publicId: id(number) })));
    expect(answers.map(idOf)).toEqual([id(1), id(2)]);
  }
  expect(paths.filter((path) => path === 'CallTogether')).toHaveLength(1);
});

it.each([404, 500, 503])('batchCalls repeats calls alone after a %i, in the time left', async (status) => {
  const timeouts: number[] = [];
  const post = batchCalls(async ({ timeoutMs }) => {
    timeouts.push(timeoutMs);
    return { status: timeouts.length > 1 ? 200 : status, headers: {}, body: new Uint8Array() };
  }, {});
  const request = { path: '/a/B', headers: {}, body: new Uint8Array(), timeoutMs: 1_000, maxAnswerBytes: 9 };
  await Promise.all([post(request), post(request)]);
  const [together = 0, ...alone] = timeouts;
  expect(together).toBeLessThanOrEqual(1_000);
  expect(alone).toHaveLength(2);
  for (const left of alone) expect(left).toBeLessThan(together);
});

it("batchCalls gives each call the server's own response when the exchange is refused", async () => {
  role = 'service:billing';
  expect((await callAll(2)).map(codeOf)).toEqual(['PermissionDenied', 'PermissionDenied']);
  expect(paths).toEqual(['CallTogether', 'ResolveCredential', 'ResolveCredential']);
});

it.each([
  ['breaks', (response: http.ServerResponse) => response.destroy()],
  ['ends', (response: http.ServerResponse) => response.writeHead(200).end()],
  [
    'returns an invalid response',
    (response: http.ServerResponse) => response.writeHead(200).end(Buffer.alloc(64, 255)),
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
