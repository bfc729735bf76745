import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import { create, toBinary } from '@bufbuild/protobuf';
import { type CallOptions, Code, ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { errorToJsonBytes } from '@connectrpc/connect/protocol-connect';
import { AccountService } from '@supplier/proto/account/v1/account';
import { BillingService, SubmissionLedgerSchema } from '@supplier/proto/billing/v1/billing';
import { RefusalCode, refusalOf, refuse } from '../refusal/index.ts';
import { callOptions, encodePrincipal } from './index.ts';
import { rpcTransport } from './transport.ts';

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

const MAX_BYTES = 4 * 1024 * 1024;
const submission = (submissionId: string) =>
  toBinary(SubmissionLedgerSchema, create(SubmissionLedgerSchema, { submissionId }));
const answerSubmission: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/proto' });
  response.end(submission('s'));
};

let answer: Answer;
let requests: IncomingMessage[];
let connections: number;
let server: http.Server;
let transport: Transport;

beforeEach(async () => {
  [answer, requests, connections] = [answerSubmission, [], 0];
  server = http.createServer((request, response) => {
    requests.push(request);
    request.resume();
    // A client that gives up breaks the connection that the answer is written to.
    response.on('error', () => {});
    request.once('end', () => answer(response, request));
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  transport = rpcTransport({
    baseUrl: `http://127.0.0.1:${port}`,
    defaultTimeoutMs: 4_000,
    identify: async () => ({ authorization: 'Bearer a.b.c' }),
  });
});
afterEach(async () => {
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
});

const getSubmissionLedger = (options?: CallOptions) =>
  createClient(BillingService, transport).getSubmissionLedger({ submissionId: 's' }, options);
const connectionClosed = () =>
  new Promise<void>((resolve) =>
    server.once('connection', (socket) => socket.once('close', () => resolve())),
  );
const failure = async (call: Promise<unknown>) =>
  ConnectError.from(
    await call.then(
      () => {
        throw new Error('the call succeeded');
      },
      (error: unknown) => error,
    ),
  );

it("the RPC transport sends calls in Connect's unary protocol and reuses connections", async () => {
  const principal = encodePrincipal({ accountId: 'a' });
  expect(await getSubmissionLedger({ ...callOptions(principal), timeoutMs: 1_234.5 })).toMatchObject({
    submissionId: 's',
  });
  await getSubmissionLedger({ headers: new Headers({ Authorization: 'mine', 'X-Other': 'o' }) });
  expect(requests[0]).toMatchObject({
    method: 'POST',
    url: '/supplier.billing.v1.BillingService/GetSubmissionLedger',
    headers: {
      'content-type': 'application/proto',
      'connect-protocol-version': '1',
      'connect-timeout-ms': '1235',
      authorization: 'Bearer a.b.c',
      'x-supplier-principal': principal,
    },
  });
  expect(requests[1]?.headers).toMatchObject({ authorization: 'Bearer a.b.c', 'x-other': 'o' });
  for (let calls = 0; calls < 20; calls += 1) await getSubmissionLedger();
  expect(connections).toBeLessThanOrEqual(2);
});

it("the RPC transport passes the response's headers to a caller that reads them", async () => {
  answer = (response, request) => answerSubmission(response.setHeader('x-seen', 'yes'), request);
  let seen: string | null = null;
  await getSubmissionLedger({ onHeader: (headers) => (seen = headers.get('x-seen')) });
  expect(seen).toBe('yes');
});

it("the RPC transport throws the server's error, with its details", async () => {
  const refusal = refuse(RefusalCode.REVISION_CONFLICT, 'It has changed.', { currentRevision: 3n });
  answer = (response) => {
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(errorToJsonBytes(refusal, undefined));
  };
  const error = await failure(getSubmissionLedger());
  expect(error).toMatchObject({ code: Code.Aborted, rawMessage: 'It has changed.' });
  expect(refusalOf(error)).toMatchObject({ code: RefusalCode.REVISION_CONFLICT, currentRevision: 3n });
});

it.each<[string, number, string, string | Uint8Array, Code]>([
  ["a proxy's page", 503, 'text/html', '<p>', Code.Unavailable],
  ['an error that is not JSON', 404, 'application/json', '{', Code.Unimplemented],
  ['another content type', 200, 'application/json', '{}', Code.Internal],
  ['not a message', 200, 'application/proto', new Uint8Array([255, 255]), Code.Internal],
])('the RPC transport rejects a response that is %s', async (_what, status, type, body, code) => {
  answer = (response) => {
    response.writeHead(status, { 'content-type': type });
    response.end(body);
  };
  expect((await failure(getSubmissionLedger())).code).toBe(code);
});

it('the RPC transport rejects a compressed response', async () => {
  answer = (response, request) => answerSubmission(response.setHeader('content-encoding', 'gzip'), request);
  expect((await failure(getSubmissionLedger())).code).toBe(Code.Internal);
});

it('the RPC transport stops reading a response that exceeds the limit', async () => {
  let cut = false;
  answer = (response) => {
    response.once('close', () => {
      cut = !response.writableFinished;
    });
    response.writeHead(200, { 'content-type': 'application/proto' });
    for (let sent = 0; sent <= 4 * MAX_BYTES; sent += MAX_BYTES) response.write(Buffer.alloc(MAX_BYTES));
  };
  const closed = connectionClosed();
  expect((await failure(getSubmissionLedger())).code).toBe(Code.ResourceExhausted);
  await closed;
  expect(cut).toBe(true);
});

describe('deadline', () => {
  it.each<[string, Answer]>([
    ['never responds', () => {}],
    [
      'stalls during its response',
      (response) => response.writeHead(200, { 'content-type': 'application/proto' }).write(submission('s')),
    ],
    [
      'keeps sending its response, byte by byte',
      (response) => {
        response.writeHead(200, { 'content-type': 'application/proto' });
        const dribble = setInterval(() => response.write(new Uint8Array(1)), 10);
        response.once('close', () => clearInterval(dribble));
      },
    ],
  ])('ends the call and its connection when a server %s', async (_what, dawdle) => {
    answer = dawdle;
    const closed = connectionClosed();
    const startedAt = performance.now();
    expect((await failure(getSubmissionLedger({ timeoutMs: 150 }))).code).toBe(Code.DeadlineExceeded);
    const took = performance.now() - startedAt;
    expect(took).toBeGreaterThanOrEqual(150);
    expect(took).toBeLessThan(20_000);
    await closed;
    answer = answerSubmission;
    expect(await getSubmissionLedger()).toMatchObject({ submissionId: 's' });
  });

  it("defaults to the client's timeout", async () => {
    await getSubmissionLedger();
    expect(requests[0]?.headers['connect-timeout-ms']).toBe('4000');
    await getSubmissionLedger({ timeoutMs: 0 });
    expect(requests[1]?.headers['connect-timeout-ms']).toBe('60000');
  });
});

describe("caller's abort signal", () => {
  it('cancels a call in progress', async () => {
    const controller = new AbortController();
    answer = () => controller.abort();
    expect((await failure(getSubmissionLedger({ signal: controller.signal }))).code).toBe(Code.Canceled);
  });

  it('cancels a call before it is sent', async () => {
    expect((await failure(getSubmissionLedger({ signal: AbortSignal.abort() }))).code).toBe(Code.Canceled);
    expect(requests).toHaveLength(0);
  });
});

describe('broken connection', () => {
  const breakFirst =
    (times: number): Answer =>
    (response, request) =>
      requests.length <= times ? request.socket.destroy() : answerSubmission(response, request);

  it.each([1, 2])('retries a repeatable call when the connection breaks %d times', async (times) => {
    answer = breakFirst(times);
    expect(await getSubmissionLedger()).toMatchObject({ submissionId: 's' });
    expect(requests).toHaveLength(times + 1);
  });

  it('retries a repeatable call when the connection breaks during the answer', async () => {
    answer = (response, request) => {
      if (requests.length > 1) return answerSubmission(response, request);
      response.writeHead(200, { 'content-length': 100, 'content-type': 'application/proto' });
      response.write(submission('s'), () => request.socket.destroy());
    };
    expect(await getSubmissionLedger()).toMatchObject({ submissionId: 's' });
  });

  it('fails a call with UNAVAILABLE and the cause after three broken connections', async () => {
    answer = (_response, request) => request.socket.destroy();
    const error = await failure(getSubmissionLedger());
    expect(error.code).toBe(Code.Unavailable);
    expect(error.cause).toBeInstanceOf(Error);
    expect(requests).toHaveLength(3);
  });

  it('does not retry a call that must not be repeated', async () => {
    answer = breakFirst(1);
    const call = createClient(AccountService, transport).issueCredential({});
    expect((await failure(call)).code).toBe(Code.Unavailable);
    expect(requests).toHaveLength(1);
  });
});

it('a call ends at its deadline even while its connection is being opened', async () => {
  transport = rpcTransport({
    baseUrl: 'http://127.0.0.1:9',
    connect: () => {},
    defaultTimeoutMs: 4_000,
    identify: async () => ({}),
  });
  expect((await failure(getSubmissionLedger({ timeoutMs: 50 }))).code).toBe(Code.DeadlineExceeded);
});

describe('more calls than connections', () => {
  it('wait for a connection, and use none when they time out first', async () => {
    const held: ServerResponse[] = [];
    let full = () => {};
    const allTaken = new Promise<void>((resolve) => {
      full = resolve;
    });
    answer = (response) => held.push(response) === 32 && full();
    const first = Array.from({ length: 32 }, () => getSubmissionLedger());
    await allTaken;
    const impatient = Array.from({ length: 10 }, () => failure(getSubmissionLedger({ timeoutMs: 50 })));
    const patient = Array.from({ length: 10 }, () => getSubmissionLedger());
    for (const { code } of await Promise.all(impatient)) expect(code).toBe(Code.DeadlineExceeded);
    answer = answerSubmission;
    for (const response of held) answerSubmission(response, response.req);
    expect(await Promise.all([...first, ...patient])).toHaveLength(42);
    expect(requests).toHaveLength(42);
    expect(connections).toBe(32);
  });

  it('are rejected when the queue is full', async () => {
    answer = () => {};
    const controller = new AbortController();
    const calls = Array.from({ length: 4_032 }, () =>
      failure(getSubmissionLedger({ signal: controller.signal })),
    );
    expect(await failure(getSubmissionLedger())).toMatchObject({
      code: Code.Unavailable,
      rawMessage: 'too many calls are waiting for the called service',
    });
    controller.abort();
    await Promise.all(calls);
  });
});
