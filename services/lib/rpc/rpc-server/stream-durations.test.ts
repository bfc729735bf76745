import { setTimeout as delay } from 'node:timers/promises';
import { Code, ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { CallsService } from '@supplier/proto/calls/v1/calls';
import { Scope } from '@supplier/proto/common/v1/principal';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { eventually, startTestRpcServer, type TestRpcServer } from '../../testing/index.ts';
import { newId } from '../../text/ids/index.ts';
import { RefusalCode, refuse } from '../refusal/index.ts';
import { callOptions, createRpcClient } from '../rpc-client/index.ts';

/** How long the handler takes before the first message, and after it. */
const FIRST_MS = 150;
const REST_MS = 200;
/** Timers may fire up to one millisecond early. */
const ROUNDING_MS = 1;

const WATCH = `${SubmissionService.typeName}/WatchQueues`;
const EXCHANGE = `${CallsService.typeName}/CallTogether`;

let server: TestRpcServer<typeof SubmissionService>;
/** What a stream does after its first message. */
let proceed: (signal: AbortSignal) => Promise<unknown>;
/** How long the handler ran, by its own clock. */
let handledMs: number;

beforeAll(async () => {
  server = await startTestRpcServer('submission', SubmissionService, (router) =>
    router.service(SubmissionService, {
      async *watchQueues(_, { signal }) {
        const startedAt = performance.now();
        try {
          await delay(FIRST_MS);
          yield {};
          await proceed(signal);
        } finally {
          handledMs = performance.now() - startedAt;
        }
      },
      async getSubmission() {
        const startedAt = performance.now();
        await delay(REST_MS);
        handledMs = performance.now() - startedAt;
        return {};
      },
    }),
  );
});
afterAll(() => server.close());

const watchers = {
  'over gRPC': async () => server.overGrpcAs('jo', 'staff:viewer'),
  'over Connect and HTTP/1.1': async () => {
    const token = await server.tokenOf('jo', 'staff:viewer');
    const transport = createConnectTransport({ baseUrl: server.baseUrl, httpVersion: '1.1' });
    const { watchQueues } = createClient(SubmissionService, transport);
    return {
      watchQueues: ((request, options) => {
        const headers = { ...options?.headers, authorization: `Bearer ${token}` };
        return watchQueues(request, { ...options, headers });
      }) as typeof watchQueues,
    };
  },
};

/** Returns the measurements of `rpc` so far: number of calls by code, and their total duration. */
async function measured(rpc: string) {
  const page = await (await fetch(`${server.baseUrl}/metrics`)).text();
  const series = /^sss_rpc_duration_seconds_(count|sum)\{rpc="([^"]+)",code="([^"]+)"\} (\S+)$/gm;
  const counts: Record<string, number> = {};
  let sumMs = 0;
  for (const [, kind, name, code = '', value] of page.matchAll(series)) {
    if (name !== rpc) continue;
    if (kind === 'sum') sumMs += 1_000 * Number(value);
    else counts[code] = Number(value);
  }
  return { counts, sumMs, calls: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** Makes one call and expects its code, and a duration between the handler's measurement and the caller's. */
async function expectMeasured(
  rpc: string,
  code: string,
  call: () => Promise<unknown>,
  leastMs = () => handledMs,
) {
  const before = await measured(rpc);
  const sentAt = performance.now();
  await call();
  const after = await eventually(
    'the call is measured',
    async () => {
      const now = await measured(rpc);
      return now.calls > before.calls && now;
    },
    20_000,
  );
  const waitedMs = performance.now() - sentAt;
  expect(after.counts).toEqual({ ...before.counts, [code]: (before.counts[code] ?? 0) + 1 });
  const measuredMs = after.sumMs - before.sumMs;
  expect(measuredMs).toBeGreaterThanOrEqual(leastMs() - ROUNDING_MS);
  expect(measuredMs).toBeLessThanOrEqual(waitedMs + ROUNDING_MS);
}

describe.each(Object.entries(watchers))('a stream %s is measured once', (_way, clientOf) => {
  const watch = async (options: { signal?: AbortSignal; onFirst?: () => unknown } = {}) => {
    const { watchQueues } = await clientOf();
    const { onFirst, ...callOptions } = options;
    let messages = 0;
    for await (const _message of watchQueues({}, callOptions)) {
      messages += 1;
      await onFirst?.();
    }
    return messages;
  };

  it('until its last message', async () => {
    proceed = () => delay(REST_MS);
    await expectMeasured(WATCH, 'OK', async () => expect(await watch()).toBe(1));
  });

  it('as a single failure when it fails later', async () => {
    proceed = async () => {
      await delay(REST_MS);
      throw refuse(RefusalCode.NOT_FOUND, 'It has gone.');
    };
    await expectMeasured(WATCH, 'NotFound', () => expect(watch()).rejects.toThrow('It has gone.'));
  });

  it('until its caller disconnects', async () => {
    const leaving = new AbortController();
    proceed = (signal) => new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    const onFirst = async () => {
      await delay(REST_MS);
      leaving.abort();
    };
    const call = async () => {
      const error = await watch({ signal: leaving.signal, onFirst }).catch(ConnectError.from);
      expect(error).toMatchObject({ code: Code.Canceled });
    };
    // The handler learns later that the caller has left.
    await expectMeasured(WATCH, 'Canceled', call, () => FIRST_MS + REST_MS);
  });
});

it('an exchange of calls is measured until its last response', async () => {
  const token = await server.tokenOf('gateway', 'service:gateway');
  const { getSubmission } = createRpcClient(SubmissionService, {
    baseUrl: server.baseUrl,
    audience: 'submission',
    tokens: { tokenFor: async () => token },
    together: { getSubmission: {} },
  });
  const supplier = {
    accountId: newId(),
    credentialId: newId(),
    environment: 1,
    scopes: [Scope.READ],
    terms: {},
  };
  const get = () => getSubmission({ submissionId: newId() }, callOptions(supplier));
  await expectMeasured(EXCHANGE, 'OK', () => Promise.all([get(), get()]));
});
