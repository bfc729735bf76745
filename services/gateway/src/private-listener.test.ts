import type { AddressInfo } from 'node:net';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { Code, ConnectError, createClient, createRouterTransport } from '@connectrpc/connect';
import { Registry } from '@supplier/lib/runtime/metrics';
import { listenPrivately } from '@supplier/lib/runtime/service-runtime';
import { SubmissionStatusSchema } from '@supplier/proto/common/v1/status';
import { SubmissionService } from '@supplier/proto/submission/v1/submission';
import { measureCalls } from './measure-calls.ts';
import { gatewayMetrics } from './metrics.ts';
import { buildPages } from './pages/pages-app.ts';
import { createRequest, type FakeGateway, fakeGateway, SUBMISSION_ID } from './testing/fake-gateway.ts';
import { sampleBody } from './testing/sample-body.ts';

const gateway = fakeGateway();
let isReady = true;
let server: Awaited<ReturnType<typeof listenPrivately>>;
let url: string;

beforeAll(async () => {
  const { registry: metrics, context } = gateway;
  server = await listenPrivately(
    { log: context.log, metrics, ready: () => ({ ready: isReady }) },
    { host: '127.0.0.1', port: 0 },
  );
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const count = async ({ registry }: FakeGateway, series: string) => {
  const line = (await registry.metrics()).split('\n').find((text) => text.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};

describe('private listener', () => {
  it('reports whether the process is live and ready', async () => {
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);
    isReady = false;
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
  });

  it('serves the metrics of the process and nothing else', async () => {
    const answer = await fetch(`${url}/metrics`);
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await answer.text()).toContain('# TYPE sss_gateway_request_duration_seconds histogram');
    for (const path of ['/', '/docs', '/v1/supplier-submissions']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(404);
  });

  it('responds under any load: it needs no free place, counts towards no limit and makes no calls', async () => {
    const full = fakeGateway({
      maxInFlight: 0,
      checkLimit: () => {
        throw new Error('nobody is limited here');
      },
    });
    expect((await full.app.inject('/')).statusCode).toBe(503);
    const what = { log: full.context.log, metrics: full.registry, ready: () => ({ ready: true }) };
    const own = await listenPrivately(what, { host: '127.0.0.1', port: 0 });
    const origin = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
    for (const path of ['/livez', '/readyz', '/metrics']) {
      expect((await fetch(origin + path)).status).toBe(200);
    }
    expect(full.calls).toEqual([]);
    own.closeAllConnections();
    own.close();
  });

  it('is the only listener that serves /metrics', async () => {
    const { app, context } = fakeGateway();
    const pages = buildPages(context);
    for (const listener of [app, pages]) expect((await listener.inject('/metrics')).statusCode).toBe(404);
  });
});

describe('gateway metrics', () => {
  it('measure requests by operation and status, and unmatched requests under one name', async () => {
    const measured = fakeGateway();
    const { app, bearer } = measured;
    await app.inject(createRequest(measured, sampleBody()));
    await app.inject(createRequest(measured, {}));
    const headers = { authorization: `Bearer ${bearer}` };
    await app.inject({ url: `/v1/supplier-submissions/${SUBMISSION_ID}`, headers });
    await app.inject('/never-heard-of');
    const series = (operation: string, status: number) =>
      count(
        measured,
        `sss_gateway_request_duration_seconds_count{operation="${operation}",status="${status}"}`,
      );
    expect(await series('createSubmission', 202)).toBe(1);
    expect(await series('createSubmission', 422)).toBe(1);
    expect(await series('getSubmission', 200)).toBe(1);
    expect(await series('other', 404)).toBe(1);
    expect(await measured.registry.metrics()).not.toContain('never-heard-of');
  });

  it('start at zero for each operation’s success and 503 and for every known reason', async () => {
    const { registry, app } = fakeGateway();
    await app.ready();
    const page = await registry.metrics();
    for (const line of [
      'sss_gateway_request_duration_seconds_count{operation="createSubmission",status="202"} 0',
      'sss_gateway_request_duration_seconds_count{operation="createSubmission",status="503"} 0',
      'sss_gateway_request_duration_seconds_count{operation="getSubmission",status="200"} 0',
      'sss_gateway_refusals_total{listener="api",code="service_unavailable"} 0',
      'sss_gateway_requests_refused_total{listener="api"} 0',
      'sss_gateway_connections_closed_total{listener="api",reason="listener full"} 0',
      'sss_gateway_failed_authentications_total{reason="wrong secret"} 0',
      'sss_gateway_limited_requests_total{limit="write"} 0',
    ])
      expect(page).toContain(`${line}\n`);
  });

  it('count requests in flight and rejected excess requests per listener', async () => {
    const measured = fakeGateway({ maxInFlight: 1 });
    const { answer } = measured;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const { promise: working, resolve: started } = Promise.withResolvers<void>();
    measured.answer = async (call) => {
      started();
      await held;
      return answer(call);
    };
    const inFlight = () => count(measured, 'sss_gateway_requests_in_flight{listener="api"}');
    const first = measured.app.inject(createRequest(measured, sampleBody()));
    await working;
    expect(await inFlight()).toBe(1);
    expect((await measured.app.inject('/')).statusCode).toBe(503);
    expect(await count(measured, 'sss_gateway_requests_refused_total{listener="api"}')).toBe(1);
    release();
    expect((await first).statusCode).toBe(202);
    expect(await inFlight()).toBe(0);
  });

  it('measure calls to services by method and code', async () => {
    const registry = new Registry();
    const answers = [
      async () => create(SubmissionStatusSchema, {}),
      () => Promise.reject(new ConnectError('unavailable', Code.Unavailable)),
      () => Promise.reject(new ConnectError('broken')),
    ];
    const client = measuredClient(registry, async () => (await answers.shift()?.()) ?? {});
    await client.getSubmission({});
    await expect(client.getSubmission({})).rejects.toThrow('unavailable');
    await expect(client.getSubmission({})).rejects.toThrow('broken');
    const page = await registry.metrics();
    for (const code of ['OK', 'Unavailable', 'Unknown']) {
      const labels = `rpc="supplier.submission.v1.SubmissionService/GetSubmission",code="${code}"`;
      expect(page).toContain(`sss_gateway_call_duration_seconds_count{${labels}} 1\n`);
    }
  });

  it("report a call duration that agrees with the caller's clock", async () => {
    const registry = new Registry();
    let answeredMs = 0;
    const client = measuredClient(registry, async () => {
      const startedAt = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 200));
      answeredMs = performance.now() - startedAt;
      return {};
    });
    const startedAt = performance.now();
    await client.getSubmission({});
    const waitedMs = performance.now() - startedAt;
    const sum = /^sss_gateway_call_duration_seconds_sum\{[^}]*GetSubmission[^}]*"OK"[^}]*\} (\S+)$/m;
    const measuredMs = 1_000 * Number(sum.exec(await registry.metrics())?.[1]);
    expect(measuredMs).toBeGreaterThanOrEqual(answeredMs - 1);
    expect(measuredMs).toBeLessThanOrEqual(waitedMs + 1);
  });
});

/** Creates a client with measured calls, which `getSubmission` answers. */
function measuredClient(
  registry: Registry,
  getSubmission: () => Promise<MessageInitShape<typeof SubmissionStatusSchema>>,
) {
  const interceptors = [measureCalls(SubmissionService, gatewayMetrics(registry))];
  const transport = createRouterTransport((router) => router.service(SubmissionService, { getSubmission }), {
    transport: { interceptors },
  });
  return createClient(SubmissionService, transport);
}
